package Galera::Peers;

# The members' protocol: each member answers on a port of its own as long as its container runs, with or without its server.
# A request is a line. The answer to `report` is the member's record. The answer is `taken` for `order HMAC LENGTH`, followed by a
# person's decision, and for `remove HMAC LENGTH`, followed by the name of a folder that was set aside.

use strict;
use warnings;

use Digest::SHA qw(hmac_sha256_hex);
use IO::Socket::IP;
use Socket qw(SOMAXCONN);

use constant PORT    => $ENV{POSITIONS_PORT} || 4569;
use constant SECONDS => 2;
use constant MOST    => 65_536;

# Serves at `address` from the file `report`; never returns. Requests signed with the key call the functions `order` and `remove`.
sub serve {
    my (%with) = @_;
    local $SIG{PIPE} = 'IGNORE';
    my $listener = listener( $with{address} );
    for (;;) {
        my $client = $listener->accept or next;
        eval {
            local $SIG{ALRM} = sub { die "slow\n" };
            alarm SECONDS;
            answer( $client, %with );
            alarm 0;
        };
        alarm 0;
        close $client;
    }
}

sub listener {
    my ($address) = @_;
    return IO::Socket::IP->new( LocalHost => $address, LocalPort => PORT, Listen => SOMAXCONN, ReuseAddr => 1 )
        || die "cannot listen on $address, port ${\PORT}: $@\n";
}

sub answer {
    my ( $client, %with ) = @_;
    my $request = <$client>;
    return unless defined $request;
    if ( $request eq "report\n" ) {
        print $client slurp( $with{report} ), 'time=', time, "\n";
    }
    elsif ( $request =~ /^(order|remove) ([0-9a-f]{64}) (\d{1,5})\n$/ ) {
        my ( $word, $sum, $length ) = ( $1, $2, $3 );
        my $text = '';
        while ( length $text < $length ) { read( $client, $text, $length - length $text, length $text ) or last }
        if ( hmac_sha256_hex( "$word $text", $with{key} ) ne $sum ) { print $client "refused: it is not signed with the root password\n"; return }
        print $client $with{$word}->($text) ? "taken\n" : "refused\n";
    }
    return;
}

# Asks all hosts at once; returns the answers by host. Waits at most SECONDS for each host.
sub ask {
    my ( $request, @hosts ) = @_;
    my %answers;
    my %pipes;
    for my $host (@hosts) {
        my $pid = open( my $pipe, '-|' );
        die "cannot fork: $!\n" unless defined $pid;
        if ( $pid == 0 ) { ask_one( $request, $host ) }
        $pipes{$host} = $pipe;
    }
    for my $host (@hosts) {
        my $pipe = $pipes{$host};
        local $/ = undef;
        my $text = <$pipe>;
        close $pipe;
        $answers{$host} = $text if $? == 0 && defined $text && $text ne '';
    }
    return \%answers;
}

# In a process of its own, since name lookups have no time limit.
sub ask_one {
    my ( $request, $host ) = @_;
    $SIG{ALRM} = $SIG{TERM} = 'DEFAULT';
    alarm SECONDS;
    my $socket = IO::Socket::IP->new( PeerHost => $host, PeerPort => PORT, Timeout => SECONDS );
    if ( !$socket ) { require POSIX; POSIX::_exit(1) }
    print $socket $request;
    $socket->flush;
    shutdown $socket, 1;
    my $text = '';
    while ( length $text < MOST ) { sysread( $socket, $text, MOST, length $text ) or last }
    syswrite STDOUT, $text;
    require POSIX;
    POSIX::_exit( 0 );
}

# The reports of all hosts that answer, by the member's name.
sub reports {
    my (@hosts) = @_;
    my $answers = ask( "report\n", @hosts );
    my %reports;
    for my $text ( values %$answers ) {
        my %report = map { /^([a-z_]+)=(.*)$/ ? ( $1 => $2 ) : () } split /\n/, $text;
        $reports{ $report{member} } = \%report if defined $report{member} && defined $report{state} && defined $report{kind};
    }
    return \%reports;
}

# A request with a text, signed with the key.
sub signed {
    my ( $word, $text, $key ) = @_;
    return "$word " . hmac_sha256_hex( "$word $text", $key ) . ' ' . length($text) . "\n" . $text;
}

sub slurp {
    my ($file) = @_;
    open my $in, '<', $file or return '';
    local $/ = undef;
    my $text = <$in>;
    close $in;
    return $text;
}

1;
