package Galera::Decision;

# Decides whether a member founds the Galera cluster, joins it or waits. Pure: no file, clock, network or environment.

use strict;
use warnings;

# Seconds to wait for reports of members outside the last view, which could serve.
use constant GRACE => 10;

# decide(%in): `me`, `members` (names in the site, lowest ordinal first), `reports` (by name, of all members that answered,
# including `me`), `founded` (the record that a member has served, `unknown` if it cannot be read), `waited` (seconds since a report
# last changed), `timeout` (seconds to wait for a member that cannot have continued alone), `order` (a person's decision:
# `founder` with its `uuid` and `seqno`, and `lose`, the position by name of members whose data may be set aside).
# Returns `do` (found, join, wait or refuse), `founder`, `why`, and if they apply `lose` (texts), `aside` (own data must be
# renamed first) and `missing` (names of members without a report).
sub decide {
    my (%in)    = @_;
    my $me      = $in{reports}{ $in{me} };
    my @serving = grep { $_->{state} eq 'serving' && $_->{member} ne $in{me} } values %{ $in{reports} };
    return join_those( \%in, $me, \@serving ) if @serving;
    return by_order( \%in, $me ) if $in{order};
    return elect( \%in );
}

sub join_those {
    my ( $in, $me, $serving ) = @_;
    my @serving = sort { ordinal( $a->{member} ) <=> ordinal( $b->{member} ) } @$serving;
    my %uuids   = map  { $_->{uuid} => 1 } @serving;
    my $names   = join ', ', map { $_->{member} } @serving;
    if ( keys %uuids > 1 ) {
        return refuse( 'two clusters serve: ' . join '; ', map { position($_) } @serving );
    }
    my $there = $serving[0];
    my %join  = ( do => 'join', founder => $there->{member}, why => "$names serves" );
    return {%join} if $me->{kind} eq 'empty' || $me->{kind} eq 'incomplete';
    my $accepted = $in->{order} && $in->{order}{lose}{ $me->{member} };
    $accepted = $accepted && $accepted eq "$me->{uuid}:$me->{seqno}";
    if ( $me->{kind} eq 'unreadable' ) {
        return { %join, aside => 1 } if $accepted;
        return refuse("$names serves, but the position of the own data cannot be read: $me->{why}");
    }
    if ( $me->{uuid} ne $there->{uuid} ) {
        return { %join, aside => 1, lose => [ 'all rows of ' . position($me) ] } if $accepted;
        return refuse( 'another cluster serves: ' . position($there) . '; the own data is ' . position($me) );
    }
    my $fork = ( sort { $a <=> $b } new_forks( $me, $there ) )[0];
    if ( defined $fork && $me->{seqno} > $fork ) {
        return { %join, aside => 1, lose => [ "transactions $fork to $me->{seqno} that only $me->{member} has" ] };
    }
    if ( $me->{seqno} > $there->{seqno} ) {
        return { %join, aside => 1, lose => [ "transactions $there->{seqno} to $me->{seqno} that only $me->{member} has" ] };
    }
    return {%join};
}

# Positions at which a cluster continued without this member, unknown to the member itself.
sub new_forks {
    my ( $me, $there ) = @_;
    my %known = map { $_ => 1 } split /,/, $me->{forks} || '';
    return map { ( split /\@/, $_ )[0] } grep { !$known{$_} } split /,/, $there->{forks} || '';
}

sub by_order {
    my ( $in, $me ) = @_;
    my $order = $in->{order};
    if ( $order->{founder} ne $in->{me} ) {
        return { do => 'wait', founder => $order->{founder}, why => "$order->{founder} founds by a person's decision" };
    }
    my $uuid  = defined $me->{uuid}  ? $me->{uuid}  : '';
    my $seqno = defined $me->{seqno} ? $me->{seqno} : '';
    if ( $uuid ne $order->{uuid} || $seqno ne $order->{seqno} ) {
        return refuse( "the decision was made for $order->{uuid}:$order->{seqno}, the own data is " . position($me) );
    }
    my @missing = grep { !$in->{reports}{$_} } @{ $in->{members} };
    my $found = { do => 'found', founder => $in->{me}, why => "a person's decision", missing => \@missing };
    $found->{aside} = 1 if $me->{kind} eq 'incomplete';
    return $found;
}

sub elect {
    my ($in) = @_;
    my $reports = $in->{reports};
    my @unsettled = grep { $_->{state} =~ /^(?:reading|stopping|founding)$/ && $_->{member} ne $in->{me} } sorted($reports);
    my @known     = grep { $_->{kind} ne 'unreadable' && $_->{kind} ne 'unknown' } sorted($reports);
    my %known     = map  { $_->{member} => $_ } @known;
    my @missing   = grep { !$known{$_} } @{ $in->{members} };
    my @data      = grep { $_->{kind} eq 'data' } @known;
    my %uuids     = map  { $_->{uuid} => 1 } @data;
    if ( keys %uuids > 1 ) {
        return refuse( 'the data is of different clusters: ' . join '; ', map { position($_) } @data );
    }
    return first_install( $in, \@known, \@missing ) unless @data;

    my $best = ( sort { better( $a, $b ) } @data )[0];
    my $view = ( sort { newer( $a, $b ) } grep { $_->{view} } @data )[0];
    if ( !$view && @missing ) {
        return wait_for( $best, \@missing, 'no member knows the last view, so an answer of every member is needed' );
    }
    my @view   = $view ? split /,/, $view->{view} : ();
    my @silent = grep { !$known{$_} } @view;
    my @empty  = grep { $known{$_} && $known{$_}{kind} ne 'data' } @view;
    my @left   = grep { $known{$_} && ( $known{$_}{kind} ne 'data' || $known{$_}{left} ) } @view;
    my $staying = @view - @left;
    my $result = { founder => $best->{member}, missing => [@silent], lose => [] };
    # Members that stopped together accepted no writes at the end, so a majority of them has every row.
    my %quiet = map { $_ => 1 } split /,/, $best->{quiet} || '';
    my $have = grep { $quiet{ $_->{member} } } @data;
    %quiet = () if $have * 2 <= keys %quiet;
    my @ahead = grep { !$quiet{$_} } @silent;
    my @lost  = grep { !$quiet{$_} } @empty;
    push @{ $result->{lose} }, map { "transactions after $best->{seqno} that only $_ could have had: its data is gone" } @lost;
    push @{ $result->{lose} }, map { "transactions after $best->{seqno} that only $_ could have" } @ahead;
    if ( @ahead * 2 > $staying ) {
        return wait_for( $best, \@ahead,
            'of the last view (' . join( ', ', @view ) . ') ' . list(@ahead) . ' may have gone on alone' );
    }
    if ( @ahead && $in->{waited} < $in->{timeout} ) {
        return wait_for( $best, \@ahead,
            "$best->{member} founds without " . list(@ahead) . ' in ' . ( $in->{timeout} - $in->{waited} ) . ' s' );
    }
    if ( @missing && $in->{waited} < GRACE ) {
        return patient( $best, \@missing, "$best->{member} founds in " . ( GRACE - $in->{waited} ) . ' s' );
    }
    my @before = grep { $_->{member} ne $best->{member} } @unsettled;
    if (@before) {
        return patient( $best, [ map { $_->{member} } @before ], 'what they are is not settled' );
    }
    $result->{do}  = $best->{member} eq $in->{me} ? 'found' : 'wait';
    $result->{why} = "$best->{member} has the highest position, $best->{seqno}";
    return $result;
}

sub first_install {
    my ( $in, $known, $missing ) = @_;
    if (@$missing) {
        return { do => 'wait', missing => $missing,
            why => 'no member that answered has data; waits for an answer of ' . list(@$missing) };
    }
    my @incomplete = grep { $_->{kind} eq 'incomplete' } @$known;
    if ( ( $in->{founded} || '' ) eq 'unknown' ) {
        return { do => 'wait', why => 'no member has data, and the API server does not say whether a database was here' };
    }
    if ( $in->{founded} ) {
        return refuse("a database was here ($in->{founded}), and no member has its data");
    }
    if (@incomplete) {
        return refuse( 'no member has whole data; a transfer to ' . list( map { $_->{member} } @incomplete ) . ' was broken off' );
    }
    my @unsettled = grep { $_->{state} =~ /^(?:reading|stopping)$/ } @$known;
    return { do => 'wait', why => list( map { $_->{member} } @unsettled ) . ' is not settled' } if @unsettled;
    my $first = $known->[0]{member};
    return { do => $first eq $in->{me} ? 'found' : 'wait', founder => $first, why => 'first start: no member has data' };
}

sub wait_for {
    my ( $best, $names, $why ) = @_;
    my @lose = map { "transactions after $best->{seqno} that only $_ could have" } @$names;
    return { %{ patient( $best, $names, $why ) }, lose => \@lose };
}

sub patient {
    my ( $best, $names, $why ) = @_;
    return { do => 'wait', founder => $best->{member}, missing => $names, why => 'waits for ' . list(@$names) . ": $why" };
}

sub refuse { return { do => 'refuse', why => $_[0] } }

# The highest position first; at equal positions a running member, then the lowest ordinal.
sub better {
    my ( $x, $y ) = @_;
    return $y->{seqno} <=> $x->{seqno}
        || ( $y->{state} eq 'running' ) <=> ( $x->{state} eq 'running' )
        || ordinal( $x->{member} ) <=> ordinal( $y->{member} );
}

sub newer {
    my ( $x, $y ) = @_;
    return $y->{view_seqno} <=> $x->{view_seqno} || ( $y->{view_id} || 0 ) <=> ( $x->{view_id} || 0 );
}

sub sorted {
    my ($reports) = @_;
    return sort { ordinal( $a->{member} ) <=> ordinal( $b->{member} ) } values %$reports;
}

sub ordinal { return $_[0] =~ /-(\d+)$/ ? $1 : 0 }

sub list { return join ', ', @_ }

# A text about a member's data: `mariadb-1 (UUID:SEQNO, written 2026-01-31T12:00:00Z)`.
sub position {
    my ($report) = @_;
    my $kind = $report->{kind};
    my $at = $report->{written} ? ', written ' . utc( $report->{written} ) : '';
    return "$report->{member} ($report->{uuid}:$report->{seqno}$at)" if $kind eq 'data';
    return "$report->{member} ($kind" . ( $report->{why} ? ": $report->{why}" : '' ) . ')';
}

# A text with the decision and the reports it is based on.
sub lines {
    my ( $result, $reports, $members ) = @_;
    my @known = map { $reports->{$_} ? position( $reports->{$_} ) . " $reports->{$_}{state}" : "$_ (no answer)" } @$members;
    return (
        "$result->{do}: $result->{why}",
        map( { "would be lost: $_" } @{ $result->{lose} || [] } ),
        'members: ' . join( '; ', @known ),
        $result->{do} =~ /wait|refuse/ ? 'to decide by hand: ccp deploy action run SITE mariadb recover' : (),
    );
}

sub utc {
    my @t = gmtime $_[0];
    return sprintf '%04d-%02d-%02dT%02d:%02d:%02dZ', $t[5] + 1900, $t[4] + 1, @t[ 3, 2, 1, 0 ];
}

1;
