package Galera::Position;

# Reads and writes a member's volume: its position, its last view, and a person's decision.

use strict;
use warnings;

use IO::Handle;

my $NONE = '00000000-0000-0000-0000-000000000000';

# A record of `key=value` lines; an empty map if the file does not exist.
sub load {
    my ($file) = @_;
    open my $in, '<', $file or return {};
    my %record = map { /^([a-z_]+) ?= ?(.*)$/ ? ( $1 => $2 ) : () } <$in>;
    close $in;
    return \%record;
}

# Replaces a record so that a crash leaves the old or the new record.
sub save {
    my ( $file, $record ) = @_;
    open my $out, '>', "$file.new" or die "cannot write $file.new: $!\n";
    print $out text($record) or die "cannot write $file.new: $!\n";
    $out->flush;
    $out->sync or die "cannot write $file.new: $!\n";
    close $out or die "cannot write $file.new: $!\n";
    rename "$file.new", $file or die "cannot write $file: $!\n";
    return;
}

# Replaces a file that may be lost when the machine crashes.
sub replace {
    my ( $file, $text ) = @_;
    open my $out, '>', "$file.new" or die "cannot write $file.new: $!\n";
    print $out $text;
    close $out or die "cannot write $file.new: $!\n";
    rename "$file.new", $file or die "cannot write $file: $!\n";
    return;
}

sub append {
    my ( $file, $line ) = @_;
    open my $out, '>>', $file or die "cannot write $file: $!\n";
    print $out "$line\n";
    $out->flush;
    $out->sync;
    close $out or die "cannot write $file: $!\n";
    return;
}

# Galera refuses to found a cluster if another member may have more rows; the members have excluded that.
sub set_safe {
    my ($file) = @_;
    return unless -e $file;
    my $state = join '', map { s/^safe_to_bootstrap: .*/safe_to_bootstrap: 1/r } lines($file);
    replace( $file, $state );
    return;
}

sub lines {
    my ($file) = @_;
    open my $in, '<', $file or return;
    my @lines = <$in>;
    close $in;
    return @lines;
}

sub text {
    my ($record) = @_;
    return join '', map { my $value = $record->{$_}; $value =~ tr/\r\n/  /; "$_=$value\n" }
        grep { defined $record->{$_} } sort keys %$record;
}

# read_position($data, $recover): `kind`, `uuid`, `seqno`, `left`, `safe` of a data folder. `recover` runs the server's own
# recovery and returns its log; the storage engine still knows the position if a crash lost Galera's file.
sub read_position {
    my ( $data, $recover ) = @_;
    my $none = { kind => 'empty', uuid => '', seqno => '', left => '', safe => '' };
    return $none unless -e "$data/mysql";
    my $noted = grastate("$data/grastate.dat");
    # Galera clears its file while a transfer runs, and if the member's data differs from the others'.
    return { %$none, kind => 'incomplete' } if $noted->{uuid} && $noted->{uuid} eq $NONE;
    my $log = $recover->();
    my ( $uuid, $seqno ) = $log =~ /.*WSREP: Recovered position:\s*([0-9a-f-]{36}):(-?\d+)/s;
    if ( !defined $uuid ) {
        my ($error) = $log =~ /.*\[ERROR\]\s*([^\n]*)/s;
        return { %$none, kind => 'unreadable', why => $error || 'the server names no position' };
    }
    return { %$none, kind => $noted->{uuid} ? 'incomplete' : 'empty' } if $uuid eq $NONE;
    my $left = defined $noted->{seqno} && $noted->{seqno} >= 0 ? 1 : '';
    return { kind => 'data', uuid => $uuid, seqno => $seqno, left => $left, safe => $noted->{safe_to_bootstrap} || 0 };
}

# The time of the last write: from a file, or else from the times of other files, because recovery of a position touches the data.
sub written {
    my ( $note, @files ) = @_;
    my @times = map { ( stat $_ )[9] || () } @files;
    return load($note)->{at} || ( sort { $b <=> $a } @times )[0] || '';
}

sub grastate {
    my ($file) = @_;
    open my $in, '<', $file or return {};
    my %state = map { /^(\w+):\s*(\S+)/ ? ( $1 => $2 ) : () } <$in>;
    close $in;
    return \%state;
}

1;
