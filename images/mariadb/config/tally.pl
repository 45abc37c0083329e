# The rows of a dump: tally.pl pass FILE copies a dump from its input to its output and writes the tables' rows and sums to FILE;
# tally.pl compare A B prints how two such files differ.

use strict;
use warnings;

use Digest::SHA qw(sha256);

my ( $mode, @files ) = @ARGV;
exit pass( $files[0] )     if $mode eq 'pass';
exit compare(@files)       if $mode eq 'compare';
die "there is no mode $mode\n";

# A line for each table: its name, the number of its rows, and the sum of its rows' SHA-256, in which their order has no part.
sub pass {
    my ($file) = @_;
    my ( %rows, %sums, $table );
    my ( $database, $inside, $whole, $code ) = ( '', 0, 0, 0 );
    while ( my $line = <STDIN> ) {
        print $line;
        # Triggers and routines have another delimiter, and can contain INSERT statements.
        if ( !$inside && $line =~ /^DELIMITER (\S+)$/ ) { $code = $1 ne ';' }
        next if $code;
        if ($inside) {
            $rows{$table}++;
            add( $sums{$table}, $line =~ s/[,;]\n\z//r );
            $inside = 0 if $line =~ /;\n\z/;
        }
        # Tables with generated columns have a list of columns.
        elsif ( $line =~ /^INSERT INTO `([^`]+)`(?: \(.*\))? VALUES$/ ) { ( $table, $inside ) = ( "$database.$1", 1 ) }
        elsif ( $line =~ /^(INSERT INTO \S+)/ )                           { die "unknown form of $1\n" }
        elsif ( $line =~ /^USE `([^`]+)`;$/ ) { $database = $1 }
        elsif ( $line =~ /^CREATE TABLE `([^`]+)` \($/ ) { ( $rows{"$database.$1"}, $sums{"$database.$1"} ) = ( 0, [ 0, 0, 0, 0 ] ) }
        elsif ( $line =~ /^-- Dump completed/ )          { $whole = 1 }
    }
    die "the dump ends early\n" unless $whole;
    open my $out, '>', $file or die "cannot write $file: $!\n";
    printf $out "%s %d %s\n", $_, $rows{$_}, join '', map { sprintf '%016x', $_ } @{ $sums{$_} } for sort keys %rows;
    close $out or die "cannot write $file: $!\n";
    return 0;
}

sub add {
    my ( $sum, $row ) = @_;
    use integer;
    my @parts = unpack 'q4', sha256($row);
    $sum->[$_] += $parts[$_] for 0 .. 3;
    return;
}

sub compare {
    my ( $was, $is ) = map { load($_) } @_;
    my @faults;
    for my $table ( sort keys %{ { %$was, %$is } } ) {
        my ( $old, $new ) = ( $was->{$table}, $is->{$table} );
        if    ( !$new )                   { push @faults, "$table is missing" }
        elsif ( !$old )                   { push @faults, "$table is not in the backup" }
        elsif ( $old->[0] != $new->[0] )  { push @faults, "$table has $new->[0] rows, not $old->[0]" }
        elsif ( $old->[1] ne $new->[1] )  { push @faults, "rows of $table differ" }
    }
    print "$_\n" for @faults;
    return @faults ? 1 : 0;
}

sub load {
    my ($file) = @_;
    open my $in, '<', $file or die "cannot read $file: $!\n";
    my %tables = map { /^(\S+) (\d+) ([0-9a-f]+)$/ ? ( $1 => [ $2, $3 ] ) : die "$file has a wrong line: $_" } <$in>;
    close $in;
    return \%tables;
}
