package Galera::Forks;

# Positions from which the cluster went on without a member that may have had more: `SEQNO@TIME`, one a line.

use strict;
use warnings;

use Galera::Peers;
use Galera::Position;

# All of a file, joined by commas.
sub read_all { return join ',', split /\s+/, Galera::Peers::slurp( $_[0] ) }

# Adds those of another member that the file does not have.
sub adopt {
    my ( $file, $others ) = @_;
    my %known = map { $_ => 1 } split /,/, read_all($file);
    Galera::Position::append( $file, $_ ) for grep { !$known{$_} } split /,/, $others || '';
    return;
}

1;
