package Galera::Recovery;

# Computes the effects and losses of a person's decision for a founder. Pure.

use strict;
use warnings;

use Galera::Decision;

# plan(\@members, \%reports, $member): `founder`, `lose` (texts), `aside` (position by name of the members whose data is set aside),
# or `error`. Without a `$member`, the founder is the serving member, or the highest position if all data is of one cluster.
sub plan {
    my ( $members, $reports, $member ) = @_;
    my @known   = Galera::Decision::sorted($reports);
    my @serving = grep { $_->{state} eq 'serving' } @known;
    my @data    = grep { $_->{kind} eq 'data' } @known;
    return { error => 'no member answers' } if !@known;
    my $founder = $member ? $reports->{$member} : undef;
    return { error => "$member does not answer" } if $member && !$founder;
    if (@serving) {
        if ( $founder && $founder->{state} ne 'serving' ) {
            return { error => "$serving[0]{member} serves, so nothing is to be founded; leave out the member to have others join it" };
        }
        $founder ||= $serving[0];
    }
    my %uuids = map { $_->{uuid} => 1 } @data;
    if ( !$founder && keys %uuids > 1 ) {
        return { error => 'the data is of different clusters: name the member that founds' };
    }
    $founder ||= ( sort { Galera::Decision::better( $a, $b ) } @data )[0] || $known[0];
    return { error => "the position of $founder->{member} cannot be read: $founder->{why}" } if $founder->{kind} eq 'unreadable';
    return { error => "$founder->{member} still reads its position; try again" } if $founder->{kind} eq 'unknown';

    my ( @lose, %aside );
    push @lose, "all rows: $founder->{member} founds an empty database" if $founder->{kind} ne 'data';
    for my $other ( grep { $_->{member} ne $founder->{member} } @known ) {
        my $what = loss( $founder, $other ) or next;
        push @lose, "$what; the data is set aside on the volume of $other->{member}";
        $aside{ $other->{member} } = "$other->{uuid}:$other->{seqno}";
    }
    for my $silent ( grep { !$reports->{$_} } @$members ) {
        next if @serving;
        my $after = $founder->{kind} eq 'data' ? "transactions after $founder->{seqno}" : 'all rows';
        push @lose, "$after that only $silent could have, which does not answer; its data is set aside when it comes back";
    }
    return { founder => $founder, lose => \@lose, aside => \%aside, serving => scalar @serving };
}

# A text about another member's data that the founder does not have.
sub loss {
    my ( $founder, $other ) = @_;
    my ( $kind, $name ) = @$other{qw(kind member)};
    return "what $name has, whose position cannot be read" if $kind eq 'unreadable';
    return undef if $kind ne 'data';
    return 'all rows of ' . Galera::Decision::position($other) if $founder->{kind} ne 'data' || $other->{uuid} ne $founder->{uuid};
    return "transactions $founder->{seqno} to $other->{seqno} that only $name has"
        if $founder->{state} ne 'serving' && $other->{seqno} > $founder->{seqno};
    return undef;
}

1;
