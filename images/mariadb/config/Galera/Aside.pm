package Galera::Aside;

# Data folders that lost a decision: they stay on the volume until a person removes them.

use strict;
use warnings;

use Galera::Decision;

# Names of the folders, joined by commas.
sub list { return join ',', map { m{([^/]+)$} } glob "$_[0]/aside-*" }

# Renames the data folder of a volume; the new path.
sub put {
    my ( $volume, $data, $position ) = @_;
    my ( $uuid, $seqno ) = map { $_ eq '' ? 'unknown' : $_ } @$position{qw(uuid seqno)};
    my $path = join '-', "$volume/aside", Galera::Decision::utc(time), $uuid, $seqno;
    rename $data, $path or die "cannot rename $data: $!\n";
    return $path;
}

# Removes a folder in the background; whether it was there.
sub remove {
    my ( $volume, $name ) = @_;
    return 0 unless $name =~ /^aside-[\w:.-]+$/ && -d "$volume/$name";
    rename "$volume/$name", "$volume/removed" or return 0;
    return system("rm -rf $volume/removed &") == 0;
}

1;
