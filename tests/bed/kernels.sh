# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154,SC2034  # variables are set or used elsewhere
#
# Kernels, the module built for them, and the guests' images, in the chroots.

ALL_KERNELS=$(awk '!/^#/ { print $1 }' "$BED/kernels.list" | tr '\n' ' ')
# Those of the matrix, when none is named.
MATRIX_KERNELS=$(awk '!/^#/ && $3 != "source" { print $1 }' "$BED/kernels.list" | tr '\n' ' ')
# Those of "make test".
CORE_KERNELS=$(awk '$6 == "core" { print $1 }' "$BED/kernels.list" | tr '\n' ' ')

is_kernel()
{
	case " $ALL_KERNELS" in *" $1 "*) ;; *) return 1 ;; esac
}

chroot_of()
{
	awk -v name="$1" '$1 == name { print $2 }' "$BED/kernels.list"
}

release_of()
{
	cat "$CACHE/$(chroot_of "$1")/$STATE/kernels/$1"
}

# A copy of the tree, at /src: tests never see the tree itself, nor an edit
# made while they run.
sync_tree()
{
	drop "$CACHE/$1/src.new"
	mkdir -p "$CACHE/$1/src.new"
	tar -C "$TREE" --exclude=./.git -cf - . | tar -C "$CACHE/$1/src.new" -xf -
	drop "$CACHE/$1/src.old"
	[ ! -e "$CACHE/$1/src" ] || mv "$CACHE/$1/src" "$CACHE/$1/src.old"
	mv "$CACHE/$1/src.new" "$CACHE/$1/src"
	drop "$CACHE/$1/src.old"
}

# in_its_chroot NAME SCRIPT...: run each script of tests/bed in that chroot, for
# those of $wanted that are its.
in_its_chroot()
{
	mine=
	for kernel in $wanted; do
		[ "$(chroot_of "$kernel")" != "$1" ] || mine="$mine $kernel"
	done
	[ "$mine" ] || return 0
	for script in $what_to_do; do
		# shellcheck disable=SC2086
		inside "$1" "/src/tests/bed/$script" $mine || return
	done
}

# for_kernels SCRIPTS NAME...: those scripts, in all chroots at the same time
for_kernels()
{
	export what_to_do="$1"
	shift
	export wanted="$*"
	# shellcheck disable=SC2046
	together in_its_chroot $(for kernel; do chroot_of "$kernel"; done | sort -u)
}

# What the tool chroot needs of the others: image, symbols, modules built there.
lend()
{
	from=$CACHE/$(chroot_of "$1")
	to=$CACHE/tools
	release=$(release_of "$1")
	for path in "boot/vmlinuz-$release" "lib/modules/$release/updates" \
		"$STATE/built/$release"; do
		drop "$to/$path"
		mkdir -p "$to/${path%/*}"
		cp -a "$from/$path" "$to/$path"
	done
	cp -L "$from/usr/src/linux-headers-$release/Module.symvers" "$to/lib/modules/$release"
	mkdir -p "$to/$STATE/kernels"
	echo "$release" > "$to/$STATE/kernels/$1"
}

# guests NAME...: pack their images, and what cases want besides
guests()
{
	# shellcheck disable=SC2046
	inside tools /src/tests/bed/extra $(sed -n 's/^# with: *//p' "$TREE"/tests/vm/cases/*.sh) ||
		die "no extra programs for guests"
	for kernel; do
		[ "$(chroot_of "$kernel")" = tools ] || lend "$kernel"
		inside tools /src/tests/bed/image "$kernel" ||
			die "no guest for $kernel"
	done
}

# The chroots, and this tree in them.
prepare_bed()
{
	check_machine
	lock
	chroots
	for name in $CHROOTS; do
		sync_tree "$name"
	done
}

# prepare [NAME...]: chroots, and a guest for each kernel.
prepare()
{
	for kernel; do
		is_kernel "$kernel" || die "no kernel $kernel here, but: $ALL_KERNELS"
	done
	prepare_bed
	[ $# -gt 0 ] || return 0

	say "kernels and module for: $*"
	for_kernels "get-kernels build-module" "$@"
	for kernel; do
		say "kernel $kernel: $(release_of "$kernel")"
	done
	guests "$@"
	say "guests are packed"
}
