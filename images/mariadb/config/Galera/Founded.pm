package Galera::Founded;

# The record that a database was created, kept in Kubernetes apart from all volumes: only without it, empty members found a cluster.

use strict;
use warnings;

use Galera::Api;

use constant AGAIN => 30;

my ( $noted, $tried ) = ( 0, 0 );

# The record's name, empty if it does not exist, `unknown` if the API server does not answer. A pod without a service account has
# no record.
sub record {
    my ($set) = @_;
    return '' unless Galera::Api::available();
    my $status = Galera::Api::call( 'GET', "configmaps/$set-founded", 'application/json', '' );
    return $status == 200 ? "ConfigMap $set-founded" : $status == 404 ? '' : 'unknown';
}

# Creates the record once; it is deleted with the site.
sub note {
    my ( $set, $site, $say ) = @_;
    return if $noted || time - $tried < AGAIN || !Galera::Api::available();
    $tried = time;
    my $labels = qq({"app.kubernetes.io/part-of":"$site","app.kubernetes.io/managed-by":"ccp"});
    my $body   = qq({"metadata":{"name":"$set-founded","labels":$labels},"data":{"at":"$tried"}});
    my $status = Galera::Api::call( 'POST', 'configmaps', 'application/json', $body );
    $noted = $status == 201 || $status == 409;
    $say->("the record $set-founded could not be made: HTTP $status") unless $noted;
    return;
}

1;
