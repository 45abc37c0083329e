package Galera::Server;

# The database server of this member: queries its status, starts and stops it.

use strict;
use warnings;

use POSIX ();

my $CLIENT = '/run/mysqld/client.cnf';
my $CONFIG = '/etc/ccp/my.cnf';
my $MEMBERS = 'SELECT node_name FROM mysql.wsrep_cluster_members';
my @STATUS = qw(wsrep_cluster_status wsrep_ready wsrep_local_state wsrep_local_state_uuid wsrep_last_committed
    wsrep_cluster_conf_id wsrep_cluster_size);
my %ended;

# Rows of a query, with fields separated by tabs; undef if the server does not answer within a few seconds.
sub query {
    my ($sql) = @_;
    my $pid = open( my $pipe, '-|' );
    die "cannot fork: $!\n" unless defined $pid;
    if ( $pid == 0 ) {
        $SIG{ALRM} = $SIG{TERM} = 'DEFAULT';
        alarm 5;
        open STDERR, '>', '/dev/null';
        exec 'mariadb', "--defaults-file=$CLIENT", '--connect-timeout=2', '--batch', '--skip-column-names', '--execute', $sql;
        exit 127;
    }
    local $/ = undef;
    my $text = <$pipe>;
    close $pipe;
    return $? == 0 ? ( defined $text ? $text : '' ) : undef;
}

# Galera's status by name, and `view` (names of the members) if it is a primary view with another id than `known_id`; undef if the
# server does not answer.
sub status {
    my ($known_id) = @_;
    my $text = query( 'SHOW GLOBAL STATUS WHERE Variable_name IN (' . join( ', ', map { "'$_'" } @STATUS ) . ')' );
    return undef unless defined $text;
    my %status = map { /^(\w+)\t(.*)$/ ? ( $1 => $2 ) : () } split /\n/, $text;
    return \%status unless ( $status{wsrep_cluster_status} || '' ) eq 'Primary' && ( $status{wsrep_ready} || '' ) eq 'ON';
    return \%status if defined $known_id && $known_id eq $status{wsrep_cluster_conf_id};
    my @members = sort split /\n/, query("SET SESSION wsrep_on = OFF; $MEMBERS") // '';
    # Without wsrep_on, a server answers even if it refuses clients' queries. The table may be a moment behind.
    $status{view} = join ',', @members if @members == $status{wsrep_cluster_size};
    return \%status;
}

# Newest migrations of each database with a table alembic_version as "DATABASE=REVISION,REVISION DATABASE=REVISION"; undef if the server
# does not answer, or if the text is too long for an annotation. An account can put a view in the table's place, whose functions would
# run as this user. So only tables in databases with plain names are read, in a read-only transaction, without long waits for locks.
sub migrations {
    my $each = q{CONCAT('SELECT ''', TABLE_SCHEMA, ''', GROUP_CONCAT(version_num ORDER BY 1) FROM `', TABLE_SCHEMA, '`.alembic_version')};
    my $tables = q{TABLE_NAME = 'alembic_version' AND TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA NOT REGEXP '[^0-9A-Za-z_-]'};
    my $text = query( 'SET SESSION group_concat_max_len = 1000000, lock_wait_timeout = 1, max_statement_time = 2; '
        . "SET \@query = (SELECT GROUP_CONCAT($each SEPARATOR ' UNION ALL ') FROM information_schema.TABLES WHERE $tables); "
        . "START TRANSACTION READ ONLY; EXECUTE IMMEDIATE IFNULL(\@query, 'DO 0')" );
    return undef unless defined $text;
    my $found = join ' ', sort map { /^([\w-]+)\t([\w.,-]+)$/ ? "$1=" . ( $2 eq 'NULL' ? '' : $2 ) : () } split /\n/, $text;
    return length $found > 100_000 ? undef : $found;
}

# True if the server can be read and written: it is in the primary component, and synced or a donor.
sub serves {
    my ($status) = @_;
    return
           ( $status->{wsrep_cluster_status} || '' ) eq 'Primary'
        && ( $status->{wsrep_ready} || '' ) eq 'ON'
        && ( $status->{wsrep_local_state} || 0 ) =~ /^[24]$/;
}

# Runs the server's own recovery of its last position and returns its log. It accepts no connections, since a peer could believe
# that it serves.
sub recover {
    my $log = '/tmp/recover.log';
    unlink $log;
    # The option needs an address; the server connects to none.
    system 'mariadbd', "--defaults-file=$CONFIG", '--wsrep-recover', '--wsrep-cluster-address=gcomm://', '--skip-networking', "--log-error=$log";
    open my $in, '<', $log or return '';
    local $/ = undef;
    my $text = <$in>;
    close $in;
    return defined $text ? $text : '';
}

# Options of a member that starts from a position. It requests a full transfer first from `@$donors`, then from any member.
sub options {
    my ( $member, $position, $hosts, $donors ) = @_;
    return ( "--wsrep-start-position=$position", "--wsrep-node-name=$member", "--wsrep-node-address=$ENV{POD_IP}",
        '--wsrep-cluster-address=gcomm://' . join( ',', sort @$hosts ), '--wsrep-sst-donor=' . join '', map { "$_," } @{ $donors || [] } );
}

# Starts the server; returns its process id.
sub start {
    my (@options) = @_;
    my $pid = fork;
    die "cannot fork: $!\n" unless defined $pid;
    return $pid if $pid;
    $SIG{TERM} = $SIG{INT} = $SIG{ALRM} = 'DEFAULT';
    exec 'mariadbd', "--defaults-file=$CONFIG", '--init-file=/run/mysqld/init.sql', @options;
    die "cannot run mariadbd: $!\n";
}

# Exit code of the server, or 128 plus the signal that ended it; undef while it runs. Can be called again after the end.
sub ended {
    my ($pid) = @_;
    return $ended{$pid} if defined $ended{$pid};
    my $found = waitpid $pid, POSIX::WNOHANG();
    return undef if $found == 0;
    # The process is unknown only if it was waited for elsewhere, and then its exit code is lost.
    return $ended{$pid} = $found != $pid ? 1 : $? & 127 ? 128 + ( $? & 127 ) : $? >> 8;
}

# Refuses queries and ends running ones; a commit in progress ends within a moment.
sub quiet {
    query("SET GLOBAL wsrep_reject_queries = 'ALL_KILL'");
    select undef, undef, undef, 0.5;
    return;
}

# Makes the server's component the primary one; 11.8 has a variable for each of the provider's options.
sub bootstrap {
    return defined query("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'")
        || defined query('SET GLOBAL wsrep_provider_pc_bootstrap = ON');
}

1;
