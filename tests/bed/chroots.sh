# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154,SC2016
# CACHE is set in tests/run; quoted programs expand their own variables.
#
# The two chroots: "tools" (Debian 13: QEMU, compilers, test tools, kernels
# 6.12 and 7.3) and "old" (Debian 12: kernel 6.1 and its compiler).

COMMON="build-essential dkms kmod python3 xz-utils zstd"
TOOLS="qemu-system-x86 seabios ipxe-qemu busybox-static cpio rt-tests
	stress-ng libcmocka-dev libasan8 libubsan1 sparse shellcheck clang-format
	pahole perl git ca-certificates"

suite_of()
{
	case $1 in tools) echo trixie ;; old) echo bookworm ;; esac
}

packages_of()
{
	echo "$COMMON"
	[ "$1" != tools ] || echo "$TOOLS"
}

# mirror [-security]: where this machine gets its packages from
mirror()
{
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(IDENTIFIER)' |
		awk -v want="$1" '$3 == "Packages" {
			security = $2 ~ /-security$/
			plain = $2 ~ /^(bookworm|trixie|stable|oldstable)$/
			if (want == "-security" ? security : plain) { print $1; exit }
		}'
}

sources_of()
{
	suite=$(suite_of "$1")
	echo "deb $main $suite main"
	if [ "$1" = tools ]; then
		echo "deb $main $suite-backports main"
	fi
	if [ "$security" ]; then
		echo "deb $security $suite-security main"
	fi
}

lock()
{
	[ "$(id -u)" = 0 ] || die "needs root, to make chroots"
	[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] ||
		die "needs a Debian system on amd64"
	mkdir -p "$CACHE"
	exec 9> "$CACHE/lock"
	flock -n 9 || { say "another run is under way, waiting for it"; flock 9; }
}

# inside NAME COMMAND...: run it in the chroot, with no mount left behind
inside()
{
	root=$CACHE/$1
	shift
	unshare --mount --propagation private sh -ec '
		root=$1; shift
		mount --bind /proc "$root/proc"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs tmpfs "$root/run"
		[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
		cd "$root"
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
			TERM="${TERM:-dumb}" DEBIAN_FRONTEND=noninteractive \
			CI="${CI:-}" http_proxy="${http_proxy:-}" chroot "$root" "$@"
	' sh "$root" "$@" 9>&-
}

enter()
{
	inside "$1" bash -l
}

# What a chroot is made from; a change makes it anew.  Count up LAYOUT when
# make_chroot does something else.
LAYOUT=1
recipe()
{
	{ echo "$LAYOUT"; packages_of "$1"; sources_of "$1"; } | sha256sum
}

make_chroot()
{
	name=$1
	rm -rf "${CACHE:?}/$name.new" "${CACHE:?}/$name"
	say "making the $name chroot ($(suite_of "$name")): some minutes, log in $CACHE/$name.log"
	# Left out: documentation, translations, and work for a boot that never comes.
	sources_of "$name" > "$CACHE/$name.list"
	mmdebstrap --variant=minbase \
		--include="$(packages_of "$name" | xargs | tr ' ' ',')" \
		--dpkgopt='force-unsafe-io' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--aptopt='APT::Install-Recommends "false"' \
		--aptopt='Acquire::Retries "3"' \
		"$(suite_of "$name")" "$CACHE/$name.new" "$CACHE/$name.list" \
		> "$CACHE/$name.log" 2>&1 || {
		tail -n 20 "$CACHE/$name.log" >&2
		die "the $name chroot can't be made"
	}
	mkdir -p "$CACHE/$name.new/src" "$CACHE/$name.new/var/lib/newidle"
	recipe "$name" > "$CACHE/$name.new/var/lib/newidle/recipe"
	mv "$CACHE/$name.new" "$CACHE/$name"
	say "the $name chroot is ready"
}

fresh()
{
	[ "$(cat "$CACHE/$1/var/lib/newidle/recipe" 2>/dev/null)" = "$(recipe "$1")" ]
}

# Newer packages once a day; without a network the cache is used as it is.
update_chroot()
{
	name=$1
	stamp=$CACHE/$name/var/lib/newidle/updated
	[ -n "${REFRESH:-}" ] || [ -z "$(find "$stamp" -mmin -1440 2>/dev/null)" ] || return 0
	say "looking for newer packages for the $name chroot"
	if inside "$name" sh -ec 'apt-get -qq update && apt-get -qq -y upgrade' \
		> "$CACHE/$name.log" 2>&1; then
		touch "$stamp"
	else
		[ -e "$stamp" ] || { tail -n 20 "$CACHE/$name.log" >&2
			die "packages can't be had"; }
		say "no newer packages to be had (offline?): using the cache of $(date -r "$stamp" +%F)"
	fi
}

chroots()
{
	if ! command -v mmdebstrap > /dev/null || ! command -v unshare > /dev/null; then
		say "installing mmdebstrap on this machine"
		apt-get -qq update
		DEBIAN_FRONTEND=noninteractive apt-get -qq -y install \
			--no-install-recommends mmdebstrap util-linux > /dev/null
	fi
	main=$(mirror "")
	[ "$main" ] || { apt-get -qq update; main=$(mirror ""); }
	[ "$main" ] || die "no Debian archive in this machine's apt sources"
	security=$(mirror -security)
	[ "$security" ] || say "no security archive in this machine's apt sources: kernels may be older"
	# One after the other would double the time: each waits for its mirror.
	pids=
	for name in tools old; do
		fresh "$name" || { make_chroot "$name" & pids="$pids $!"; }
	done
	for pid in $pids; do
		wait "$pid" || die "a chroot could not be made"
	done
	for name in tools old; do
		update_chroot "$name"
	done
	version=$(inside tools qemu-system-x86_64 --version | sed -n 's/.*version \([0-9.]*\).*/\1/p')
	case $version in
	[1-7].* | 8.0*) die "QEMU $version makes guests crash when their kernel's text is patched; 8.1 or newer is needed" ;;
	esac
	say "chroots ready; QEMU $version"
}
