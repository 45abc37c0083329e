package Galera::Leave;

# How a member leaves that is told to stop.

use strict;
use warnings;

use Galera::Decision;
use Galera::Peers;
use Galera::Server;

# Seconds in which clients are led elsewhere, and half seconds in which others that stop too may end before this one.
use constant { DRAIN => 2, ROUNDS => 60 };

# Waits until the server may end. It serves until clients are led elsewhere. Where all members stop at once, all first take no more
# writes, so that each has every row and knows it; then the one of the lowest ordinal is the last to go. Returns the names of those
# that took no more writes, empty where others go on. `$publish` publishes the report, `$ended` says that the server has ended.
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
