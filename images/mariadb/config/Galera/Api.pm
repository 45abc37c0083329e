package Galera::Api;

# Calls the Kubernetes API with the pod's service account. TLS by the image's openssl, so Perl's core modules are enough.

use strict;
use warnings;

use IPC::Open2 ();

my $ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
my $SECONDS = 5;

# True if the pod has a service account.
sub available { return -e "$ACCOUNT/token" && $ENV{KUBERNETES_SERVICE_HOST} ? 1 : 0 }

# call($method, $path, $type, $body): the HTTP status, 0 without an answer. `$path` is below the pod's namespace.
sub call {
    my ( $method, $path, $type, $body ) = @_;
    my ( $host, $port ) = @ENV{qw(KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT)};
    $host = "[$host]" if $host =~ /:/;
    my $namespace = slurp("$ACCOUNT/namespace");
    my $token     = slurp("$ACCOUNT/token");
    my $request = join "\r\n", "$method /api/v1/namespaces/$namespace/$path HTTP/1.0", 'Host: kubernetes.default.svc',
        "Authorization: Bearer $token", "Content-Type: $type", 'Content-Length: ' . length $body, '', $body;
    local $SIG{PIPE} = 'IGNORE';
    my $text = '';
    my $pid;
    eval {
        local $SIG{ALRM} = sub { die "slow\n" };
        alarm $SECONDS;
        $pid = IPC::Open2::open2( my $out, my $in, qw(timeout 5 sh -c), 'exec "$@" 2>/dev/null', 'sh', qw(openssl s_client -quiet
            -verify_return_error -verify_hostname kubernetes.default.svc -CAfile), "$ACCOUNT/ca.crt", '-connect', "$host:$port" );
        print $in $request;
        $in->flush;
        while ( my $line = <$out> ) { $text .= $line; last if $line =~ /^HTTP/ }
        close $in;
        close $out;
        alarm 0;
    };
    alarm 0;
    if ($pid) { kill 'KILL', $pid; waitpid $pid, 0 }
    return $text =~ m{^HTTP/\S+ (\d{3})}m ? $1 : 0;
}

sub slurp {
    my ($file) = @_;
    open my $in, '<', $file or return '';
    local $/ = undef;
    my $text = <$in>;
    close $in;
    $text =~ s/\s+\z//;
    return $text;
}

1;
