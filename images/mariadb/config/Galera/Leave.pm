package Galera::Leave;

# Stops a member in order.

use strict;
use warnings;

use Galera::Decision;
use Galera::Peers;
use Galera::Server;

# Seconds until clients are routed elsewhere, and half seconds to wait for other stopping members to end first.
use constant { DRAIN => 2, ROUNDS => 60 };

# Waits until the server may end. The server serves until clients are routed elsewhere. If all members stop at once, first all of
# them refuse writes, so that each member has every row and knows it; then the member with the lowest ordinal ends last. Returns
# the names of members that refuse writes, empty if others continue. `$publish` publishes the report, `$ended` is true after the
# server's end.
sub wait_for_others {
    my ( $report, $others, $publish, $ended ) = @_;
    sleep DRAIN if @$others;
    my $quiet = '';
    for ( 1 .. ROUNDS ) {
        my $reports = Galera::Peers::reports(@$others);
        my @stopping = grep { $_->{state} eq 'stopping' } values %$reports;
        last if !@stopping || grep { $_->{state} eq 'serving' } values %$reports;
        if ( !$report->{quiet_now} ) {
            Galera::Server::quiet();
            $report->{quiet_now} = 1;
            $publish->();
        }
        if ( $quiet || !grep { !$_->{quiet_now} } @stopping ) {
            $quiet ||= join ',', sort $report->{member}, map { $_->{member} } @stopping;
            my $own = Galera::Decision::ordinal( $report->{member} );
            last if grep { Galera::Decision::ordinal( $_->{member} ) < $own } @stopping;
        }
        last if $ended->();
        select undef, undef, undef, 0.5;
    }
    return $quiet;
}

1;
