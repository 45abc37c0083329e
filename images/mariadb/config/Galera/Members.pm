package Galera::Members;

# Who the members are. The file with their hosts changes while the pod runs, so a member need not restart when others come or go.

use strict;
use warnings;

use Galera::Decision;
use Galera::Position;

use constant FILE => $ENV{MEMBERS_FILE} || '/etc/ccp/members/members.properties';

# The last list of hosts that the file had, and whether the log says that it has none now.
my ( $listed, $said ) = ( [], 0 );

# Names of the members that the site wants, lowest ordinal first.
sub wanted {
    my $hosts = hosts();
    return sort { Galera::Decision::ordinal($a) <=> Galera::Decision::ordinal($b) } keys %$hosts;
}

# Hosts by name: those that the site wants, and those of `$view`, the names of the last view, which may be ahead of the file.
sub hosts {
    my ($view) = @_;
    my @listed = listed();
    my %hosts = map { ( split /\./, $_ )[0] => $_ } @listed;
    my ($domain) = $listed[0] =~ /^[^.]+(.*)$/;
    $hosts{$_} ||= "$_$domain" for split /,/, $view || '';
    return \%hosts;
}

# Hosts in the file. A person may edit it while the server runs: a list with a name that no member can have is passed over for the
# one before, since a member that knows of too few others could found a cluster without them.
sub listed {
    my @hosts = grep { $_ ne '' } split /[\s,]+/, Galera::Position::load(FILE)->{peers} || '';
    if ( @hosts && !grep { !/^[^.]+-\d+(?:\.|$)/ } @hosts ) {
        ( $listed, $said ) = ( \@hosts, 0 );
        return @hosts;
    }
    die 'no members in ' . FILE . "\n" unless @$listed;
    print STDERR Galera::Decision::utc(time), ' galera: no members in ', FILE, "; they remain ", join( ', ', @$listed ), "\n" unless $said++;
    return @$listed;
}

# Hosts of all members but one.
sub others {
    my ( $me, $view ) = @_;
    my $hosts = hosts($view);
    return map { $hosts->{$_} } grep { $_ ne $me } sort keys %$hosts;
}

1;
