package Galera::Position;

# What a member's volume says: its position, the last view it was in, and what a person has decided.

use strict;
use warnings;

use IO::Handle;

my $NONE = '00000000-0000-0000-0000-000000000000';

# A record of `key=value` lines; an empty map where there is none.
sub load {
    my ($file) = @_;
    open my $in, '<', $file or return {};
    my %record = map { /^([a-z_]+) ?= ?(.*)$/ ? ( $1 => $2 ) : () } <$in>;
    close $in;
    return \%record;
}

# Replaces a record so that a crash leaves the old one or the new one.
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

# Replaces a file that need not outlive a crash of the machine.
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

# Galera refuses to found a cluster from data that another member may have more of, which the members have ruled out.
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
# recovery and returns its log; the engine's position is whole where Galera's note of it was lost in a crash.
sub read_position {
    my ( $data, $recover ) = @_;
    my $none = { kind => 'empty', uuid => '', seqno => '', left => '', safe => '' };
    return $none unless -e "$data/mysql";
    my $noted = grastate("$data/grastate.dat");
    # Galera voids its note while a transfer runs, and where a member found itself to differ from the others.
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

# When the data was written last: a note, or the time of other files where there is none; the recovery of a position touches the data.
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
