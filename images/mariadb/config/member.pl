# A member of a Galera cluster: publishes its position, decides together with the others who founds the cluster, runs the server.

use strict;
use warnings;
use lib '/etc/ccp';
use POSIX ();
use Galera::Aside;
use Galera::Decision;
use Galera::Disk;
use Galera::Forks;
use Galera::Founded;
use Galera::Leave;
use Galera::Members;
use Galera::Peers;
use Galera::Position;
use Galera::Server;
use Galera::Writer;

my ( $VOLUME, $DATA, $RUN ) = ( '/var/lib/mysql', '/var/lib/mysql/data', '/run/mysqld' );
my $OWN = "$VOLUME/member";
my %FILE = ( report => "$RUN/report", order => "$OWN/order", view => "$OWN/view", forks => "$OWN/forks",
    fresh => "$OWN/fresh", written => "$OWN/written", decision => "$RUN/decision" );
# Seconds between two lines of a waiting member; seconds in which a disconnected member may return by itself; attempts to join before
# the container ends. An unreadable position is read again after UNREADABLE seconds, since a full disk may have space by then.
use constant { AGAIN => 20, CUT_OFF => 5, SURE => 10, LOST => 60, JOINS => 5, UNREADABLE => 60 };

my $ME    = $ENV{POD_NAME};
my ($SET) = $ME =~ /^(.*)-\d+$/;
my ( $KEY, $SETUP, $BACKUP ) = delete @ENV{qw(ROOT_PASSWORD SETUP_PASSWORD BACKUP_PASSWORD)};
my %report = ( member => $ME, state => 'reading', kind => 'unknown', uuid => '', seqno => '', forks => Galera::Forks::read_all( $FILE{forks} ) );
my ( $responder, $server, $reported ) = ( 0, 0, 0 );
my ( $noted, $again ) = ( 0, 0 );
my ( $stop, $said, $answers, $since ) = ( 0, '', '', time );

$SIG{TERM} = $SIG{INT} = sub { $stop = 1; leave(143) unless $server };
mkdir $OWN;
Galera::Aside::remove_leftovers($VOLUME);
respond();
publish();
my %position = Galera::Position::read_position( $DATA, \&Galera::Server::recover )->%*;
$position{kind} = 'empty' if $position{kind} eq 'incomplete' && -e $FILE{fresh};
%report = ( %report, %position, state => 'waiting', view_of(), written => Galera::Position::written( @FILE{qw(written report view)} ) );
publish();
say_line( 'own data: ' . Galera::Decision::position( \%report ) );
my $decision = await_turn();
set_aside() if $decision->{aside} || ( $decision->{do} eq 'found' && $position{kind} eq 'empty' && -e "$DATA/grastate.dat" );
my $code = run();
again() if $again && !$stop;
leave($code);

# The reports of all members, including this one, and the decision based on them.
sub decision {
    my $reports = others();
    $reports->{$ME} = {%report};
    my $now = join ' ', map { my $each = $reports->{$_}; "$_=$each->{kind},$each->{uuid},$each->{seqno}" } sort keys %$reports;
    ( $answers, $since ) = ( $now, time ) if $now ne $answers;
    my $order = order($reports);
    my $result = Galera::Decision::decide(
        me => $ME, members => [ Galera::Members::wanted() ], reports => $reports, founded => ( grep { $_->{kind} eq 'data' } values %$reports ) ? '' : Galera::Founded::record($SET),
        waited => time - $since, timeout => $ENV{ABSENCE_TIMEOUT}, ( $order ? ( order => $order ) : () ),
    );
    return ( $result, $reports );
}

# A person's decision on this volume. The chosen founder must have the same decision, since a member may return with an old one.
sub order {
    my ($reports) = @_;
    my $order = Galera::Position::load( $FILE{order} );
    return undef unless $order->{id};
    my $founder = $reports->{ $order->{founder} };
    $report{order} = $order->{id};
    return undef if $order->{founder} ne $ME && ( !$founder || ( $founder->{order} || '' ) ne $order->{id} ) && !grep { $_->{state} eq 'serving' } values %$reports;
    $order->{lose} = { map { split /\@/, $_ } split /,/, $order->{lose} || '' };
    return $order;
}

# Waits until this member may start; its log and the file shown by its probe say why it waits.
sub await_turn {
    my ( $rounds, $from ) = ( 0, time );
    for (;;) {
        again() if $position{kind} eq 'unreadable' && time - $from >= UNREADABLE;
        my ( $result, $reports ) = decision();
        announce( $result, $reports );
        $report{verdict} = "$result->{do}: $result->{why}";
        publish();
        # Another member's report may be a moment old, and a full transfer is expensive.
        $rounds = $result->{aside} ? $rounds + 1 : 0;
        if ( $rounds && $rounds < SURE ) { sleep 1; next }
        if ( $result->{do} eq 'join' ) {
            Galera::Forks::adopt( $FILE{forks}, $reports->{ $result->{founder} }{forks} );
            $report{forks} = Galera::Forks::read_all( $FILE{forks} );
            $result->{donors} = [ Galera::Writer::donors($reports) ];
            return $result;
        }
        return $result if $result->{do} eq 'found';
        sleep 1;
    }
}

sub announce {
    my ( $result, $reports ) = @_;
    my @lines = Galera::Decision::lines( $result, $reports, [ Galera::Members::wanted() ] );
    Galera::Position::replace( $FILE{decision}, join "\n", @lines, '' );
    ( my $now = join "\n", @lines ) =~ s/ in \d+ s\b|, written [^)]*|:\d+\b//g;
    return if $now eq $said && time - $reported < AGAIN;
    ( $said, $reported ) = ( $now, time );
    say_line($_) for @lines;
    return;
}

# Runs the server until it ends; returns its exit code.
sub run {
    my $founds = $decision->{do} eq 'found';
    my $uuid = $position{kind} eq 'data' ? $position{uuid} : '00000000-0000-0000-0000-000000000000';
    my $seqno = $position{kind} eq 'data' ? $position{seqno} : -1;
    unlink "$DATA/gvwstate.dat";
    if ($founds) {
        Galera::Position::set_safe("$DATA/grastate.dat");
        fork_here( $seqno, $decision->{missing} ) if $position{kind} eq 'data' && @{ $decision->{missing} || [] };
    }
    $report{state} = $founds ? 'founding' : 'joining';
    publish();
    my @hosts = values Galera::Members::hosts( $report{view} )->%*;
    my @options = Galera::Server::options( $ME, "$uuid:$seqno", \@hosts, $decision->{donors} );
    $server = Galera::Server::start( @options, $founds ? '--wsrep-new-cluster' : () );
    my ( $served, $cut, $stopping, $alone, $asked ) = ( 0, 0, 0, time, time );
    for (;;) {
        my $ended = Galera::Server::ended($server);
        if ( defined $ended ) {
            # A transfer fails if the view changes at its start.
            $again ||= !$served && !$founds && ++$ENV{JOINS} <= JOINS;
            return $ended;
        }
        respond() if waitpid( $responder, POSIX::WNOHANG() ) == $responder;
        if ( $stop && !$stopping ) {
            $stopping = 1;
            take_leave() if $served;
            kill 'TERM', $server unless defined Galera::Server::ended($server);
        }
        look( \$served, \$cut ) unless $stopping;
        if ( $served || $founds ) { $alone = $asked = time }
        elsif ( time - $asked >= 2 ) {
            $alone = time if anyone_serves();
            $asked = time;
        }
        if ( $asked - $alone >= SURE && !$stopping ) {
            say_line('restarts: the members that it should join are gone');
            kill 'KILL', $server;
            $stopping = $again = 1;
        }
        select undef, undef, undef, $served ? 1 : 0.3;
    }
}

# Reads the server's status, publishes it, and writes the last view to the volume.
sub look {
    my ( $served, $cut ) = @_;
    my $status = Galera::Server::status( $report{view_id} );
    return unless $status;
    if ( Galera::Server::serves($status) ) {
        ( $report{state}, $$cut ) = ( 'serving', 0 );
        if ( !$$served ) {
            $$served = 1;
            unlink $FILE{order}, $FILE{fresh}, $FILE{decision};
            delete $report{order};
            say_line( 'serves: ' . ( $status->{view} || '' ) );
        }
    }
    elsif ( $$served && ( $status->{wsrep_cluster_status} || '' ) ne 'Primary' ) {
        $report{state} = 'running';
        $$cut ||= time;
    }
    @report{qw(uuid seqno)} = @$status{qw(wsrep_local_state_uuid wsrep_last_committed)};
    ( $report{kind}, $report{left} ) = ( 'data', '' ) if $$served;
    on_disk( sub { keep_view($status) } );
    $report{written} = time if $$served;
    publish();
    Galera::Founded::note( $SET, $ENV{SITE}, \&say_line ) if $report{state} eq 'serving';
    Galera::Writer::keep( \%report, [ Galera::Members::wanted() ], \&others, \&say_line );
    back_from_cut( time - $$cut ) if $$cut && time - $$cut >= CUT_OFF;
    return;
}

# Reports of all other members that answer.
sub others { return Galera::Peers::reports( Galera::Members::others( $ME, $report{view} ) ) }

sub anyone_serves {
    my $reports = others();
    return scalar grep { $_->{state} eq 'serving' } values %$reports;
}

# `quiet`: members that refused writes when this one left.
sub keep_view {
    my ( $status, $quiet ) = @_;
    return unless $status->{view};
    my %view = ( view => $status->{view}, view_id => $status->{wsrep_cluster_conf_id}, view_of => $status->{wsrep_local_state_uuid} );
    $view{quiet} = $quiet if $quiet;
    Galera::Position::save( $FILE{view}, { %view, view_seqno => $status->{wsrep_last_committed} } );
    %report = ( %report, view_of() );
    return;
}

# A member without a majority decides like a member that has not started; if it shall found the cluster, it continues as it runs.
sub back_from_cut {
    my ($seconds) = @_;
    my ( $result, $reports ) = decision();
    announce( $result, $reports );
    if ( $result->{do} eq 'found' ) {
        fork_here( $report{seqno}, $result->{missing} ) if @{ $result->{missing} || [] };
        say_line('continues as the founder') if Galera::Server::bootstrap();
    }
    elsif ( $seconds >= LOST && grep { $_->{state} eq 'serving' } values %$reports ) {
        say_line('restarts to join the members that serve');
        kill 'TERM', $server;
        $again = 1;
    }
    return;
}

sub take_leave {
    $report{state} = 'stopping';
    publish();
    my @others = Galera::Members::others( $ME, $report{view} );
    my $quiet = Galera::Leave::wait_for_others( \%report, \@others, \&publish, sub { defined Galera::Server::ended($server) } );
    my $status = Galera::Server::status();
    keep_view( $status, $quiet ) if $status;
    say_line( $quiet ? "leaves; $quiet took no more writes" : 'leaves' );
    return;
}

sub set_aside {
    say_line( 'set aside: ' . Galera::Aside::put( $VOLUME, $DATA, \%position ) );
    again();
}

# Starts again in the same process, like after a restart of the container.
sub again {
    kill 'KILL', $responder;
    waitpid $responder, 0;
    @ENV{qw(ROOT_PASSWORD SETUP_PASSWORD BACKUP_PASSWORD)} = ( $KEY, $SETUP, $BACKUP );
    exec 'bash', '/etc/ccp/start.sh';
    die "cannot start again: $!\n";
}

sub fork_here {
    my ( $seqno, $missing ) = @_;
    Galera::Position::append( $FILE{forks}, "$seqno\@" . time );
    $report{forks} = Galera::Forks::read_all( $FILE{forks} );
    say_line( "goes on from $seqno without " . join ', ', @$missing );
    return;
}

# The last view on the volume, if it belongs to the current data.
sub view_of {
    my $view = Galera::Position::load( $FILE{view} );
    return () unless $view->{view} && $view->{view_of} eq ( $report{uuid} || $position{uuid} || '' );
    return map { $_ => $view->{$_} } qw(view view_id view_seqno quiet);
}

sub publish {
    $report{aside} = Galera::Aside::list($VOLUME);
    Galera::Position::replace( $FILE{report}, Galera::Position::text( \%report ) );
    return if $report{state} !~ /^(?:serving|stopping)$/ || $report{written} - $noted < 10;
    $noted = $report{written};
    my $full = Galera::Disk::full( $VOLUME, $report{full} );
    say_line( $full ? 'the disk is full' : 'the disk has space again' ) if $full ne ( $report{full} || '' );
    $report{full} = $full;
    on_disk( sub { Galera::Position::replace( $FILE{written}, "at=$noted\n" ) } );
    return;
}

# Writes files on the volume that this member does not need while the disk is full.
sub on_disk {
    my ($write) = @_;
    return if eval { $write->(); 1 };
    chomp( my $why = $@ );
    say_line($why);
    return;
}

sub respond {
    $responder = fork;
    die "cannot fork: $!\n" unless defined $responder;
    return if $responder;
    $SIG{TERM} = $SIG{INT} = 'DEFAULT';
    eval { Galera::Peers::serve( address => $ENV{POD_IP}, report => $FILE{report}, key => $KEY, order => \&take_order, remove => sub { Galera::Aside::remove( $VOLUME, $_[0] ) } ) };
    print STDERR "galera: $@";
    sleep 1;
    POSIX::_exit(1);
}

sub take_order { Galera::Position::save( $FILE{order}, { map { /^([a-z]+)=(.*)$/ ? ( $1 => $2 ) : () } split /\n/, $_[0] } ); return 1 }

sub say_line { print STDERR Galera::Decision::utc(time), " galera: $_[0]\n"; return }

sub leave {
    kill 'KILL', $responder if $responder;
    POSIX::_exit( $_[0] );
}
