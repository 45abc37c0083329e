# Reads cases, gives each to the decision of MariaDB's members and prints what every member would do.
# A case is lines up to an empty one: `members NAME,...`, `set KEY VALUE`, `order KEY=VALUE ...`, and `report KEY=VALUE ...` for each.

use strict;
use warnings;

use Galera::Decision;

sub pairs { return map { /^([a-z_]+)=(.*)$/ ? ( $1 => $2 ) : () } split / /, $_[0] }

local $/ = '';
while ( my $case = <STDIN> ) {
    my %in = ( waited => 0, timeout => 300, reports => {} );
    for my $line ( split /\n/, $case ) {
        my ( $word, $rest ) = split / /, $line, 2;
        $in{members} = [ split /,/, $rest ] if $word eq 'members';
        if ( $word eq 'set' ) { my ( $key, $value ) = split / /, $rest, 2; $in{$key} = $value }
        if ( $word eq 'order' ) {
            my %order = pairs($rest);
            $order{lose} = { map { split /\@/, $_ } split /,/, $order{lose} || '' };
            $in{order} = \%order;
        }
        if ( $word eq 'report' ) { my %report = pairs($rest); $in{reports}{ $report{member} } = \%report }
    }
    for my $me ( sort keys %{ $in{reports} } ) {
        my $result = Galera::Decision::decide( %in, me => $me );
        my @words = ( "$me:", $result->{do}, $result->{founder} || '-', $result->{aside} ? 'aside' : () );
        print join( ' ', @words ), " | $result->{why}", map( { " | $_" } @{ $result->{lose} || [] } ), "\n";
    }
    print "\n";
}
