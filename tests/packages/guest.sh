#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# memory: 3G
# smp: 4,sockets=2,cores=2
# with: debian
# timeout: 1800
#
# The packages on a running kernel: newidle-dkms and newidle-tools are installed;
# a later version is in /test.  What a package manager does to them while newidle
# is loaded: nothing goes as long as the livepatch is in force, and what is
# loaded always has the programs that unload it.

export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
# For bash, in which dkms is written.
[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
dkms_deb=$(echo /test/newidle-dkms_*.deb)
tools_deb=$(echo /test/newidle-tools_*.deb)
next=$(dpkg-deb -f "$dkms_deb" Version)
old=$(dpkg-query -W -f '${Version}' newidle-dkms)

# run STATUS WHAT COMMAND...: with what it says in /tmp/said
run()
{
	wanted=$1 what=$2
	shift 2
	"$@" > /tmp/said 2>&1
	is $? "$wanted" "$what: exit status $wanted"
	sed 's/^/# | /' /tmp/said
}

says()
{
	check "it says '$1'" grep -q -e "$1" /tmp/said
}

# hold: somebody has a file of newidle's open, until let_go_of_it
hold()
{
	# shellcheck disable=SC2217
	sleep 10000 < "$DOMAINS" &
	holder=$!
	sleep 1
}

let_go_of_it()
{
	kill $holder
	wait $holder 2> /dev/null
}

loaded_is()
{
	is "$(cat "$SYS/state") $(cut -d ' ' -f 1 "$SYS/version")" "active $1" "loaded: $1"
}

installed_is()
{
	is "$(modinfo -F version newidle) $(dkms status newidle | cut -d , -f 1)" \
		"$1 newidle/$1" "installed: $1"
}

ischroot
is $? 1 "this is no chroot"
check "nothing is loaded by itself" gone
installed_is "$old"
run 0 "newidle load" newidle load
loaded_is "$old"
run 0 "newidle status" newidle status --no-sample
says 'as installed'

# It can't be unloaded for the upgrade.
hold
run 0 "upgrade while it is in use" dpkg --install "$dkms_deb" "$tools_deb"
says 'newidle is loaded, so it is unloaded first'
says "sleep (pid $holder)"
says 'could not be unloaded .* works on, and after the upgrade .* stale'
loaded_is "$old"
installed_is "$next"
run 0 "newidle status" newidle status --no-sample
says 'stale, installed is'
let_go_of_it
run 0 "newidle unload" newidle unload
run 0 "newidle load" newidle load
loaded_is "$next"
run 0 "newidle status" newidle status --no-sample
says 'as installed'

# Nor for being removed.
hold
run 1 "removal while it is in use" dpkg --remove newidle-dkms
says "sleep (pid $holder)"
says 'so the package stays, and newidle works on'
loaded_is "$next"
installed_is "$next"
let_go_of_it
check "the package is there as before" [ -x /usr/sbin/newidle-unload ]
is "$(dpkg-query -W -f '${db:Status-Status}' newidle-dkms)" installed "so dpkg says"

# It can.
run 0 "upgrade while it is loaded" dpkg --install "$dkms_deb"
says 'newidle is unloaded; the kernel decides again'
says 'newidle-load'
check "it is gone" gone
installed_is "$next"
run 0 "newidle load" newidle load
loaded_is "$next"
run 0 "removal while it is loaded" dpkg --remove newidle-tools newidle-dkms
says 'newidle is unloaded; the kernel decides again'
check "it is gone" gone
is "$(dkms status newidle)" "" "dkms knows nothing of it"
run 0 "purge" dpkg --purge newidle-tools newidle-dkms
is "$(find / -xdev -path /test -prune -o -name '*newidle*' -print)" "" "nothing is left"
is "$(dpkg -l 'newidle*' 2> /dev/null | grep -c '^[a-z]i')" 0 "no package is installed"
check "its command is not there" refused command -v newidle-unload
