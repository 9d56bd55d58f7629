#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What was built for the guests was built without a warning, for each kernel of "make test".

state=/var/lib/newidle
n=0

result() # ok|"not ok" TEXT
{
	n=$((n + 1))
	echo "$1 $n - $2"
}

# clean WHAT LOG: it exists, shows a build of C files, and warns of nothing
clean()
{
	if [ -s "$2" ] && grep -q '^ *CC \[M\] .*\.o$' "$2" &&
		! grep -iq 'warning:' "$2"; then
		result ok "$1 builds without a warning"
	else
		result "not ok" "$1 builds without a warning"
		grep -i -A 5 'warning:' "$2" | head -n 60 | sed 's/^/# /'
	fi
}

names=$(awk '$6 == "core" { print $1 }' "${0%/*}/kernels.list")
for series in $names; do
	release=$(cat $state/kernels/"$series")
	built=$state/built/$release
	case $release in
	"$series"[.+]*-amd64) result ok "$series is kernel $release" ;;
	*) result "not ok" "$series is kernel $release" ;;
	esac
	clean "$release: newidle, by dkms," "$built/make.log"
	clean "$release: the test modules" "$built/test-modules.log"
	# Debian 12's dkms reads any kernel's vmlinux to see who compiled it; those
	# that come with headers hold types only.
	if grep -v "^readelf: Warning: Section '.comment' was not dumped" \
		"$built/install.log" | grep -iq 'warning:'; then
		result "not ok" "$release: dkms installs without a warning"
	else
		result ok "$release: dkms installs without a warning"
	fi
	ko=$(find "/lib/modules/$release/updates/dkms" -name 'newidle.ko*')
	if [ "$(modinfo -F vermagic "$ko" | cut -d ' ' -f 1)" = "$release" ]; then
		result ok "$release: the module is for this kernel"
	else
		result "not ok" "$release: the module is for this kernel"
	fi
done

# And the check itself.
log=$(mktemp)
for line in "a.c:1:2: warning: unused variable 'a'" \
	"WARNING: modpost: missing MODULE_DESCRIPTION()" \
	"a.o: warning: objtool: f()+0x1: unreachable instruction"; do
	printf '  CC [M]  a.o\n%s\n' "$line" > "$log"
	case $(clean x "$log") in
	"not ok"*) result ok "noticed: $line" ;;
	*) result "not ok" "noticed: $line" ;;
	esac
done
: > "$log"
case $(clean x "$log") in
"not ok"*) result ok "an empty log is no clean one" ;;
*) result "not ok" "an empty log is no clean one" ;;
esac
rm "$log"

echo "1..$n"
