package Galera::Aside;

# Data folders that were set aside by a decision: they stay on the volume until a person removes them.

use strict;
use warnings;

use Galera::Decision;

# Names of the folders, joined by commas.
sub list { return join ',', map { m{([^/]+)$} } glob "$_[0]/aside-*" }

# Renames the data folder of a volume; returns the new path.
sub put {
    my ( $volume, $data, $position ) = @_;
    my ( $uuid, $seqno ) = map { $_ eq '' ? 'unknown' : $_ } @$position{qw(uuid seqno)};
    my $path = join '-', "$volume/aside", Galera::Decision::utc(time), $uuid, $seqno;
    rename $data, $path or die "cannot rename $data: $!\n";
    return $path;
}

# Removes a folder in the background; true if it existed. It is renamed to a unique name first, since an earlier removal may have
# been interrupted.
sub remove {
    my ( $volume, $name ) = @_;
    return 0 unless $name =~ /^aside-[\w:.-]+$/ && -d "$volume/$name";
    rename "$volume/$name", "$volume/removed-$name" or return 0;
    return clear("$volume/removed-$name");
}

# Continues in the background the removals that ended with the container.
sub remove_leftovers {
    my @left = glob "$_[0]/removed*";
    return @left ? clear(@left) : 1;
}

sub clear { return system( 'sh', '-c', 'rm -rf -- "$@" &', 'sh', @_ ) == 0 }

1;
