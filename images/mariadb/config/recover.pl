# Actions for a person: `members` shows the members, `recover` decides who founds their cluster, `remove-aside` removes folders that
# were set aside.

use strict;
use warnings;
use lib '/etc/ccp';

use Galera::Decision;
use Galera::Peers;
use Galera::Recovery;

# Seconds within which a founder must serve.
use constant SERVE_TIMEOUT => 600;

$| = 1;
my ($mode) = @ARGV;
my %hosts = map { ( split /\./, $_ )[0] => $_ } split /,/, $ENV{PEERS};
my @members = sort { Galera::Decision::ordinal($a) <=> Galera::Decision::ordinal($b) } keys %hosts;
my $reports = Galera::Peers::reports( values %hosts );

show();
exit members()      if $mode eq 'members';
exit remove_aside() if $mode eq 'remove-aside';
exit recover()      if $mode eq 'recover';
die "there is no mode $mode\n";

sub show {
    for my $name (@members) {
        my $report = $reports->{$name};
        print $report ? Galera::Decision::position($report) . " $report->{state}" : "$name does not answer", "\n";
        next unless $report;
        print "  view $report->{view} at $report->{view_seqno}\n" if $report->{view};
        print "  $report->{verdict}\n" if $report->{verdict} && $report->{state} eq 'waiting';
        print "  set aside: $_\n" for split /,/, $report->{aside} || '';
    }
    return;
}

# Exit code 0 if all members serve.
sub members {
    my @well = grep { $_->{state} eq 'serving' } values %$reports;
    printf "%d of %d members serve\n", scalar @well, scalar @members;
    return @well == @members ? 0 : 1;
}

sub recover {
    my $plan = Galera::Recovery::plan( \@members, $reports, $ENV{MEMBER} );
    if ( $plan->{error} ) { print "cannot recover: $plan->{error}\n"; return 1 }
    my $founder = $plan->{founder};
    print $plan->{serving} ? "others join $founder->{member}, which serves\n" : "$founder->{member} founds the cluster\n";
    print "would be lost: $_\n" for @{ $plan->{lose} };
    print "nothing would be lost\n" unless @{ $plan->{lose} };
    if ( @{ $plan->{lose} } && $ENV{ACCEPT_LOSS} ne 'true' ) {
        print "nothing was changed; to accept the loss: --param accept-loss=true\n";
        return 1;
    }
    return 0 if $plan->{serving} && !%{ $plan->{aside} };
    my %aside = %{ $plan->{aside} };
    my $order = join '', map { "$_->[0]=$_->[1]\n" } [ id => time ], [ founder => $founder->{member} ], [ uuid => $founder->{uuid} ],
        [ seqno => $founder->{seqno} ], [ lose => join ',', map { "$_\@$aside{$_}" } sort keys %aside ];
    return 1 unless send_all( 'order', $order, sort keys %$reports );
    return await( $founder->{member} );
}

# True if all these members accepted a request.
sub send_all {
    my ( $word, $text, @names ) = @_;
    my $answers = Galera::Peers::ask( Galera::Peers::signed( $word, $text, $ENV{ROOT_PASSWORD} ), map { $hosts{$_} } @names );
    my $failed = 0;
    for my $name (@names) {
        my $answer = $answers->{ $hosts{$name} } || "no answer\n";
        next if $answer eq "taken\n";
        print "$name: $answer";
        $failed = 1;
    }
    return !$failed;
}

sub await {
    my ($founder) = @_;
    for ( 1 .. SERVE_TIMEOUT ) {
        my $report = Galera::Peers::reports( $hosts{$founder} )->{$founder};
        if ( $report && $report->{state} eq 'serving' ) { print "$founder serves\n"; return 0 }
        sleep 1;
    }
    print "$founder does not serve after ${\SERVE_TIMEOUT} s: see its log\n";
    return 1;
}

sub remove_aside {
    my ( $member, $name ) = @ENV{qw(MEMBER NAME)};
    my %there = map { $_ => 1 } split /,/, $reports->{$member}{aside} || '';
    if ( !$there{$name} ) { print "$member has set nothing aside of the name $name\n"; return 1 }
    return 1 unless send_all( 'remove', $name, $member );
    print "$name is removed from $member\n";
    return 0;
}
