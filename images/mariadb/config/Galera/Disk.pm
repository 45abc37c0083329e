package Galera::Disk;

# Space on the volume. A member without space cannot take writes, so another must.

use strict;
use warnings;

use POSIX ();

# Below LEAST bytes a member is full, and it stays so up to ENOUGH.
use constant { LEAST => 64 * 1024 * 1024, ENOUGH => 256 * 1024 * 1024 };

# Whether the file system of `$path` has too little space; empty where it is not known. `$was` is the answer before.
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
