# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154,SC2016
# CACHE and TREE are set in tests/run; quoted programs expand their own variables.
#
# Kernels by pattern: the newest flavour amd64 that the archive has, its
# headers installed, its image unpacked, newidle built by dkms as for a user.

chroot_of()
{
	case $1 in 6.1) echo old ;; *) echo tools ;; esac
}

# The release of the newest kernel of a series, from the chroot's package lists.
newest()
{
	case $1 in
	6.1)	pattern='^linux-headers-6\.1\.[0-9]+-[0-9]+-amd64$' ;;
	*)	pattern="^linux-headers-$(echo "$1" | sed 's/\./\\./')\\.[0-9]+\\+deb13-amd64\$" ;;
	esac
	inside "$(chroot_of "$1")" apt-cache pkgnames linux-headers- | grep -E "$pattern" |
		sed 's/^linux-headers-//' | sort -V | tail -n 1
}

# Images are unpacked, not installed: modules and initramfs are not needed.
# Up to 6.18 the image is in linux-image, from 6.19 in linux-binary.
fetch_kernel()
{
	inside "$(chroot_of "$1")" sh -ec '
		release=$1
		[ ! -e "/boot/vmlinuz-$release" ] || exit 0
		apt-get -qq -y --no-install-recommends install "linux-headers-$release"
		cd /var/lib/newidle
		for package in "linux-binary-$release" "linux-image-$release"; do
			rm -f linux-*.deb
			apt-get -qq download "$package" || continue
			rm -rf unpacked; mkdir unpacked
			dpkg-deb --fsys-tarfile linux-*.deb |
				tar x -C unpacked --wildcards "*/vmlinuz*" || continue
			image=$(find unpacked -name "vmlinuz*" -type f | head -n 1)
			[ "$image" ] || continue
			cp "$image" "/boot/vmlinuz-$release.new"
			mv "/boot/vmlinuz-$release.new" "/boot/vmlinuz-$release"
			break
		done
		rm -rf unpacked linux-*.deb
		[ -e "/boot/vmlinuz-$release" ]
	' sh "$2"
}

# A copy of the tree, at /src; tests never see the tree itself.
sync_tree()
{
	rm -rf "$CACHE/$1/src"
	mkdir -p "$CACHE/$1/src"
	tar -C "$TREE" --exclude=./.git -cf - . | tar -C "$CACHE/$1/src" -xf -
}

# As a user installs it, from a copy that changes only with the sources.
build_module()
{
	inside "$(chroot_of "$1")" sh /src/tests/bed/build-module "$2" ||
		die "newidle does not build for $2"
}

# prepare_kernels SERIES...
prepare_kernels()
{
	sync_tree tools
	sync_tree old
	mkdir -p "$CACHE/tools/var/lib/newidle/kernels"
	for series; do
		release=$(newest "$series")
		[ "$release" ] || die "no kernel $series in the archive"
		say "kernel $series: $release"
		fetch_kernel "$series" "$release" > "$CACHE/kernel-$series.log" 2>&1 || {
			tail -n 20 "$CACHE/kernel-$series.log" >&2
			die "kernel $release can't be had"
		}
		build_module "$series" "$release"
		echo "$release" > "$CACHE/tools/var/lib/newidle/kernels/$series"
		[ "$(chroot_of "$series")" = tools ] || lend "$release"
	done
}

# What the tool chroot needs of the old one: image, modules built there, and
# the list of symbols that they may use.
lend()
{
	for path in "boot/vmlinuz-$1" "lib/modules/$1/updates" \
		"var/lib/newidle/built/$1"; do
		rm -rf "${CACHE:?}/tools/$path"
		mkdir -p "$CACHE/tools/$(dirname "$path")"
		cp -a "$CACHE/old/$path" "$CACHE/tools/$path"
	done
	cp "$CACHE/old/usr/src/linux-headers-$1/Module.symvers" \
		"$CACHE/tools/lib/modules/$1"
}

# prepare_guests SERIES...: kernels, and what the guests start from
prepare_guests()
{
	prepare_kernels "$@"
	for series; do
		say "packing the guest for $series"
		inside tools sh /src/tests/bed/image "$series" || die "no guest image"
	done
}
