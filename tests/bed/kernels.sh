# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154  # CACHE, TREE, BED, STATE: set elsewhere
#
# Kernels, the module built for them, and the guests' images, in the chroots.

SERIES=$(sed -n 's/^\([0-9.]*\)\t.*/\1/p' "$BED/kernels.list" | tr '\n' ' ')

is_series()
{
	grep -q "^$1	" "$BED/kernels.list"
}

chroot_of()
{
	awk -v series="$1" '$1 == series { print $2 }' "$BED/kernels.list"
}

release_of()
{
	cat "$CACHE/tools/$STATE/kernels/$1"
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

# kernels_and_module NAME: in that chroot, for those of $wanted that are its.
kernels_and_module()
{
	mine=
	for series in $wanted; do
		[ "$(chroot_of "$series")" != "$1" ] || mine="$mine $series"
	done
	[ "$mine" ] || return 0
	# shellcheck disable=SC2086
	inside "$1" /src/tests/bed/get-kernels $mine &&
		inside "$1" /src/tests/bed/build-module $mine
}

# What the tool chroot needs of the others: image, symbols, modules built there.
lend()
{
	from=$CACHE/$(chroot_of "$1")
	to=$CACHE/tools
	release=$(cat "$from/$STATE/kernels/$1")
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

# prepare [SERIES...]: chroots, and a guest for each series.
prepare()
{
	for series; do
		is_series "$series" || die "no series $series here, but: $SERIES"
	done
	check_machine
	lock
	chroots
	for name in $CHROOTS; do
		sync_tree "$name"
	done
	[ $# -gt 0 ] || return 0

	say "kernels and module for: $*"
	export wanted="$*"
	# shellcheck disable=SC2086
	together kernels_and_module $CHROOTS
	for series; do
		[ "$(chroot_of "$series")" = tools ] || lend "$series"
		say "kernel $series: $(release_of "$series")"
	done
	for series; do
		inside tools /src/tests/bed/image "$series" || die "no guest for $series"
	done
	say "guests are packed"
}
