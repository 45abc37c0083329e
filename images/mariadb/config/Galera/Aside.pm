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

# Removes a folder in the background; whether it was there. Each has a name of its own, since one may be left from before.
sub remove {
    my ( $volume, $name ) = @_;
    return 0 unless $name =~ /^aside-[\w:.-]+$/ && -d "$volume/$name";
    rename "$volume/$name", "$volume/removed-$name" or return 0;
    return clear("$volume/removed-$name");
}

# Removes in the background the folders whose removal ended with the container.
sub remove_leftovers {
    my @left = glob "$_[0]/removed*";
    return @left ? clear(@left) : 1;
}

sub clear { return system( 'sh', '-c', 'rm -rf -- "$@" &', 'sh', @_ ) == 0 }

1;
