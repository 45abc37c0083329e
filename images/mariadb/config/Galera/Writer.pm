package Galera::Writer;

# Chooses the member that receives all writes. It stays the writer while it serves, so a member that returns changes nothing. A
# member with a full disk is the writer only if all disks are full. The writer's pod has a label that the database's Service selects.

use strict;
use warnings;

use Galera::Api;
use Galera::Decision;
use Galera::Server;

# The writer reads its databases' migrations every MIGRATIONS seconds.
use constant { LABEL => 'ccp.openstack.org/role', ROLE => 'writer', AGAIN => 30, MIGRATIONS => 3 };
use constant { ASIDE => 'ccp.openstack.org/set-aside', DATA => 'ccp.openstack.org/data', SCHEMAS => 'ccp.openstack.org/schemas' };

my ( $was, $noted, $set ) = ( '', '', 0 );
my ( $schemas, $read ) = ( '', 0 );

# choose(\%reports): the writer among the serving members, empty if no member serves. Pure.
sub choose {
    my ($reports) = @_;
    my @serving = grep { $_->{state} eq 'serving' } Galera::Decision::sorted($reports);
    my @spacious = grep { !$_->{full} } @serving;
    @serving = @spacious if @spacious;
    return '' unless @serving;
    my %serves = map { $_->{member} => 1 } @serving;
    my %believed;
    $believed{ $_->{writer} }++ for grep { $_->{writer} && $serves{ $_->{writer} } } @serving;
    my ($most) = sort { $believed{$b} <=> $believed{$a} || Galera::Decision::ordinal($a) <=> Galera::Decision::ordinal($b) } keys %believed;
    return $most || $serving[0]{member};
}

# Serving members except the writer: a donor can block writes while it sends its data.
sub donors {
    my ($reports) = @_;
    my $writer = choose($reports);
    return map { $_->{member} } grep { $_->{state} eq 'serving' && $_->{member} ne $writer } Galera::Decision::sorted($reports);
}

# Updates the writer in this member's report, and the label of its pod; a new writer also removes the label of other pods, which may
# be dead. Annotations of the pod list the folders that were set aside, the uuid of the data that it serves, and on the writer the
# newest migrations of its databases.
sub keep {
    my ( $report, $members, $ask, $say ) = @_;
    if ( $report->{state} ne 'serving' ) { $report->{writer} = ''; return }
    my $reports = $ask->();
    my $me      = $report->{member};
    $reports->{$me} = $report;
    my $writer = choose($reports);
    $say->("the writer is $writer") if $writer ne ( $report->{writer} || '' );
    $report->{writer} = $writer;
    return unless Galera::Api::available();
    if ( $writer eq $me && time - $read >= MIGRATIONS ) {
        $schemas = Galera::Server::migrations() // $schemas;
        $read = time;
    }
    my %notes = ( ASIDE, $report->{aside}, DATA, $report->{uuid}, SCHEMAS, $writer eq $me ? $schemas : '' );
    my $notes = join ',', map { qq("$_":) . ( $notes{$_} ? qq("$notes{$_}") : 'null' ) } sort keys %notes;
    return if $writer eq $was && $notes eq $noted && time - $set < AGAIN;
    my $note = qq("annotations":{$notes},);
    my $done = 1;
    if ( $writer eq $me ) {
        $done &&= label( $me, '"' . ROLE . '"', $say, $note );
        label( $_, 'null', $say, '' ) for grep { $_ ne $me } @$members;
    }
    else { $done &&= label( $me, 'null', $say, $note ) }
    ( $was, $noted, $set ) = ( $writer, $notes, time ) if $done;
    return;
}

# True if the pod has the label; a missing pod has none.
sub label {
    my ( $pod, $value, $say, $note ) = @_;
    my $body = '{"metadata":{' . $note . '"labels":{"' . LABEL . qq(":$value}}});
    my $status = Galera::Api::call( 'PATCH', "pods/$pod", 'application/merge-patch+json', $body );
    return 1 if $status == 200 || $status == 404;
    $say->( "the label of $pod could not be set: " . ( $status ? "HTTP $status" : 'the API server did not answer' ) );
    return 0;
}

1;
