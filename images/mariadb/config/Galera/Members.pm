package Galera::Members;

# The list of members. The file with their hosts changes while the pod runs, so no member restarts when others are added or removed.

use strict;
use warnings;

use Galera::Decision;
use Galera::Position;

use constant FILE => $ENV{MEMBERS_FILE} || '/etc/ccp/members/members.properties';

# The last valid list of hosts, and whether the log already says that the current list is invalid.
my ( $listed, $said ) = ( [], 0 );

# Names of the members in the site, lowest ordinal first.
sub wanted {
    my $hosts = hosts();
    return sort { Galera::Decision::ordinal($a) <=> Galera::Decision::ordinal($b) } keys %$hosts;
}

# Hosts by name: members in the site, and members of `$view` (names of the last view), which can be newer than the file.
sub hosts {
    my ($view) = @_;
    my @listed = listed();
    my %hosts = map { ( split /\./, $_ )[0] => $_ } @listed;
    my ($domain) = $listed[0] =~ /^[^.]+(.*)$/;
    $hosts{$_} ||= "$_$domain" for split /,/, $view || '';
    return \%hosts;
}

# Hosts in the file. A person can edit it while the server runs: a list with an impossible name is ignored and the previous one
# stays, since a member that knows too few others could found a cluster without them.
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

# Hosts of all members except one.
sub others {
    my ( $me, $view ) = @_;
    my $hosts = hosts($view);
    return map { $hosts->{$_} } grep { $_ ne $me } sort keys %$hosts;
}

1;
