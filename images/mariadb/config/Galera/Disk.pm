package Galera::Disk;

# Space on the volume. A member without space cannot be the writer.

use strict;
use warnings;

use POSIX ();

# Below LEAST bytes a disk is full, and it stays full up to ENOUGH bytes.
use constant { LEAST => 64 * 1024 * 1024, ENOUGH => 256 * 1024 * 1024 };

# True if the file system of `$path` has too little space; empty if unknown. `$was` is the previous answer.
sub full {
    my ( $path, $was ) = @_;
    my $pid = open( my $pipe, '-|' );
    die "cannot fork: $!\n" unless defined $pid;
    if ( $pid == 0 ) {
        $SIG{TERM} = $SIG{ALRM} = 'DEFAULT';
        alarm 5;
        exec( 'df', '--output=avail', '--block-size=1', $path ) or POSIX::_exit(127);
    }
    my ( undef, $free ) = <$pipe>;
    close $pipe;
    return defined $free && $free =~ /^\s*(\d+)\s*$/ && $1 < ( $was ? ENOUGH : LEAST ) ? 1 : '';
}

1;
