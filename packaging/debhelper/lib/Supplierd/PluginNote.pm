# The ELF note `.note.supplierd.plugin`, which says what a plugin is and what it was built for. Read as the server reads
# it, from the file alone: a plugin for another architecture can be packaged too.
package Supplierd::PluginNote;
use strict;
use warnings;

use constant SECTION => '.note.supplierd.plugin';
use constant NEEDS   => '.note.supplierd.needs';
use constant LAYOUT  => 1;

# The note of a file as { id, version, abi_major, abi_minor, needs_minor, cxx_abi, needs }, `needs` being a list as
# NEEDS of supplierd_add_plugin(). Undef when the file is no ELF
# file or has no such note; dies with a reason when the note is damaged.
sub read_note {
	my ($file) = @_;
	open(my $in, '<:raw', $file) or die "$file: cannot be opened: $!\n";
	my $ident = part($in, 0, 16);
	return undef if length $ident < 16 or substr($ident, 0, 4) ne "\x7fELF";
	my ($class, $order) = unpack('CC', substr($ident, 4, 2));
	my $end  = $order == 2 ? '>' : '<';
	my $wide = $class == 2;

	# Where the table of sections is, how long an entry is, how many there are, and which one has the names.
	my $header = part($in, 16, $wide ? 48 : 36);
	my ($table, $size, $count, $names) = unpack($wide ? "x24 Q$end x10 S${end}3" : "x16 L$end x10 S${end}3", $header);
	my @sections = map { section($in, $table + $_ * $size, $wide, $end) } 0 .. ($count // 0) - 1;
	return undef if !@sections or $names >= @sections;
	my $texts = part($in, @{$sections[$names]}{qw(offset size)});
	my ($note, @needs);
	for my $section (@sections) {
		next if $section->{name} >= length $texts;
		my $name = unpack('Z*', substr($texts, $section->{name}));
		$note  = parse($file, part($in, @{$section}{qw(offset size)}), $end) if $name eq SECTION;
		@needs = parse_needs($file, part($in, @{$section}{qw(offset size)}), $end) if $name eq NEEDS;
	}
	$note->{needs} = \@needs if $note;
	return $note;
}

sub part {
	my ($in, $offset, $size) = @_;
	my $bytes = '';
	seek($in, $offset, 0) and read($in, $bytes, $size);
	return $bytes;
}

sub section {
	my ($in, $offset, $wide, $end) = @_;
	my ($name, $at, $size) = unpack($wide ? "L$end x20 Q$end Q$end" : "L$end x12 L$end L$end", part($in, $offset, 40));
	return { name => $name // 0, offset => $at // 0, size => $size // 0 };
}

sub parse {
	my ($file, $bytes, $end) = @_;
	die "$file: its note is cut short\n" if length $bytes < 136;
	my ($owner_size, $size, $type, $owner, $layout) = unpack("L${end}3 Z12 L$end", $bytes);
	die "$file: its note is not one of supplierd\n"
		if $owner_size != 10 or $type != 1 or $owner ne 'supplierd' or $size != 112;
	die "$file: its note has layout $layout, this tool reads layout @{[LAYOUT]}; use the supplierd-plugin-dev that it "
		. "was built with\n" if $layout != LAYOUT;
	my %note;
	@note{qw(abi_major abi_minor needs_minor cxx_abi id version)} =
		unpack("x28 S${end}3 x2 Z32 Z36 Z32", $bytes);
	die "$file: its note gives the id '$note{id}'; an id is 1 to 32 of a-z, 0-9 and -\n"
		if $note{id} !~ /^[a-z0-9-]{1,32}$/;
	return \%note;
}

sub parse_needs {
	my ($file, $bytes, $end) = @_;
	my ($owner_size, $size, $type, $owner) = unpack("L${end}3 Z12", $bytes);
	die "$file: its note of what it needs is not one of supplierd\n"
		if !defined $owner or $owner_size != 10 or $type != 2 or $owner ne 'supplierd';
	return split /\n/, unpack('x24 Z*', $bytes);
}

# The packages of the plugins that it needs. Who offers a service cannot be told.
sub needed_packages {
	my ($note) = @_;
	my @packages;
	for my $need (@{$note->{needs} // []}) {
		next if $need =~ m{/};
		my ($id, $version) = $need =~ /^([a-z0-9-]+)(?: >= ([0-9.]+))?$/
			or die "plugin '$note->{id}' needs '$need', which is neither a plugin nor a service\n";
		push @packages, "supplierd-plugin-$id" . (defined $version ? " (>= $version)" : '');
	}
	return @packages;
}

# The virtual package of a server that can load it.
sub dependencies {
	my ($note) = @_;
	my $abi = "supplierd-plugin-abi-$note->{abi_major}";
	# Before 1.0 the interface may change with every minor: such a plugin needs the very one it was built for.
	my $minor = $note->{abi_major} == 0 ? "= 0.$note->{abi_minor}" : ">= $note->{abi_major}.$note->{needs_minor}";
	return ("$abi ($minor)", needed_packages($note));
}

1;
