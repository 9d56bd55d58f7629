# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
#
# Filling a guest's root: sourced by image and extra, which set $root.

# As in Debian: /bin and the like are links.
begin_root()
{
	rm -rf "$root"
	for dir in bin sbin lib lib64; do
		mkdir -p "$root/usr/$dir"
		ln -s "usr/$dir" "$root/$dir"
	done
}

# A program, and the libraries it needs.
add()
{
	program=$(command -v "$1")
	cp -L "$program" "$root/usr/bin"
	add_libraries "$program"
}

add_libraries()
{
	ldd "$1" | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "$root${library%/*}"
		[ -e "$root$library" ] || cp -L "$library" "$root$library"
	done
}

# pack_root IMAGE: the root as an initramfs, which the kernel may find behind
# another one; the root goes.
pack_root()
{
	(cd "$root" && find . | cpio --quiet -o -H newc) | zstd -q -1 -T0 > "$1.new"
	mv "$1.new" "$1"
	rm -rf "$root"
}
