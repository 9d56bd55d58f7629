# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154  # variables are set elsewhere
#
# tests/run packages: see tests/packages.  What is installed, and removed, is so in
# copies of the chroots, which are gone afterwards.

# What the chroots need besides, and other tests do not.
PACKAGERS_old="build-essential cpio debhelper dh-dkms lintian python3 systemd zstd"
PACKAGERS_tools="file mandoc rpm rpmlint systemd"

# need NAME PACKAGE...: installed in that chroot, to stay
need()
{
	name=$1
	shift
	# shellcheck disable=SC2016
	inside "$name" sh -c '
		dpkg-query -W -f "\${db:Status-Status}\n" "$@" 2> /dev/null |
			grep -cx installed | grep -qx $# ||
		apt-get -qq -y install "$@"' sh "$@" > "$(log_of "$name")" 2>&1 || {
		tail -n 20 "$(log_of "$name")" >&2
		die "can't install in the $name chroot: $*"
	}
}

# tap_of NAME COMMAND...: what the command says, as a file for prove; a command
# that did not come to its end fails.
tap_of()
{
	say "packages: $1"
	to=$CACHE/tools/$STATE/packages/$1.tap
	shift
	"$@" 2>&1 | awk '
		/^(not )?ok / { n++ }
		/^1\.\./ { next }
		{ print; last = $0 }
		END {
			whole = last ~ /came to its end/
			print (whole ? "ok" : "not ok"), "- it came to its end"
			print "1.." n + 1
		}' > "$to"
}

# A guest's own verdict is the last of its tests.
guest_tap()
{
	inside tools /src/tests/bed/guest "$@" || :
	echo "# came to its end"
}

# The same as in "tests/run unit", now with mandoc.
manual_tap()
{
	inside tools /src/tests/unit/docs.t || :
	echo "# came to its end"
}

packages()
{
	prepare 6.1
	say "headers of: $CORE_KERNELS"
	# shellcheck disable=SC2086
	for_kernels get-kernels $CORE_KERNELS
	say "programs for packages"
	# shellcheck disable=SC2086
	need old $PACKAGERS_old
	# shellcheck disable=SC2086
	need tools $PACKAGERS_tools
	for name in $CHROOTS; do
		drop "$CACHE/$name/$STATE/packages"
		mkdir -p "$CACHE/$name/$STATE/packages"
	done
	old=$CACHE/old/$STATE/packages
	tools=$CACHE/tools/$STATE/packages
	tap_of build in_copy old /src/tests/packages/deb.sh build
	tap_of debian-12 in_copy old /src/tests/packages/deb.sh install guest
	cp "$old"/*.deb "$tools" || :
	mv "$old/extra-debian.img" "$CACHE/tools/$STATE" || :
	tap_of debian-13 in_copy tools /src/tests/packages/deb.sh install
	tap_of rpm in_copy tools /src/tests/packages/rpm.sh
	tap_of manual manual_tap
	tap_of guest guest_tap 6.1 /src/tests/packages/guest.sh
	tap_of systemd guest_tap 6.1 /src/tests/packages/systemd.sh
	tap_of systemd-off guest_tap 6.1 /src/tests/packages/systemd-off.sh
	inside tools sh -c "cd /$STATE/packages && exec prove --failures --comments \
		${V:+--verbose} --exec cat *.tap"
}
