package Galera::Members;

# Who the members are. The file with their hosts changes while the pod runs, so a member need not restart when others come or go.

use strict;
use warnings;

use Galera::Decision;
use Galera::Position;

use constant FILE => $ENV{MEMBERS_FILE} || '/etc/ccp/members/members.properties';

# Names of the members that the site wants, lowest ordinal first.
sub wanted {
    my $hosts = hosts();
    return sort { Galera::Decision::ordinal($a) <=> Galera::Decision::ordinal($b) } keys %$hosts;
}

# Hosts by name: those that the site wants, and those of `$view`, the names of the last view, which may be ahead of the file.
sub hosts {
    my ($view) = @_;
    my @listed = split /,/, Galera::Position::load(FILE)->{peers} || '';
    die 'no members in ' . FILE . "\n" unless @listed;
    my %hosts = map { ( split /\./, $_ )[0] => $_ } @listed;
    my ($domain) = $listed[0] =~ /^[^.]+(.*)$/;
    $hosts{$_} ||= "$_$domain" for split /,/, $view || '';
    return \%hosts;
}

# Hosts of all members but one.
sub others {
    my ( $me, $view ) = @_;
    my $hosts = hosts($view);
    return map { $hosts->{$_} } grep { $_ ne $me } sort keys %$hosts;
}

1;
