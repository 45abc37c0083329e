package Galera::Forks;

# Positions at which the cluster continued without a member that may have had more rows: `SEQNO@TIME`, one per line.

use strict;
use warnings;

use Galera::Peers;
use Galera::Position;

# All positions of a file, joined by commas.
sub read_all { return join ',', split /\s+/, Galera::Peers::slurp( $_[0] ) }

# Adds positions of another member that the file does not contain.
sub adopt {
    my ( $file, $others ) = @_;
    my %known = map { $_ => 1 } split /,/, read_all($file);
    Galera::Position::append( $file, $_ ) for grep { !$known{$_} } split /,/, $others || '';
    return;
}

1;
