#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# memory: 3G
# smp: 2,sockets=2
# with: debian
# append: rdinit=/lib/systemd/systemd systemd.wants=newidle.service systemd.getty_auto=0
# timeout: 900
#
# newidle.service under systemd, in a boot that starts it: as if it were enabled,
# which it is not by itself.  Then what the package manager does beside it.

export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
next=$(dpkg-deb -f /test/newidle-dkms_*.deb Version)

unit_is()
{
	is "$(systemctl is-active newidle)" "$1" "the unit is $1"
}

loaded_is()
{
	is "$(cat "$SYS/state") $(cut -d ' ' -f 1 "$SYS/version")" "active $1" "loaded: $1"
}

is_up()
{
	[ "$(systemctl is-active newidle)" = active ]
}

is "$(cat /proc/1/comm)" systemd "systemd is the first process"
# For systemctl it is "enabled-runtime", by this boot's command line.
is "$(find /etc/systemd /lib/systemd -path '*.wants/newidle.service')" "" \
	"the unit is not enabled by itself"
check "wanted by a boot, it is started" wait_for 240 is_up
loaded_is "$(dpkg-query -W -f '${Version}' newidle-dkms)"
check "systemctl stop" systemctl stop newidle
unit_is inactive
check "newidle is unloaded" gone

check "systemctl enable --now" systemctl enable --now newidle
is "$(find /etc/systemd -path '*.wants/newidle.service')" \
	/etc/systemd/system/multi-user.target.wants/newidle.service "it is enabled"
unit_is active
check "newidle is active" state_is active

# What can't be unloaded works on, and the unit does not say that all is well.
# shellcheck disable=SC2217
sleep 10000 < "$DOMAINS" &
holder=$!
sleep 1
systemctl stop newidle
unit_is failed
check "newidle works on while it is in use" state_is active
check "the journal has the reason" sh -c \
	"journalctl --unit newidle --boot | grep -q 'pid $holder'"
kill $holder
wait $holder 2> /dev/null
check "systemctl start, with newidle loaded" systemctl start newidle
unit_is active

check "upgrade" dpkg --install /test/newidle-dkms_*.deb /test/newidle-tools_*.deb
check "newidle is unloaded, and nothing loads it" gone
is "$(systemctl is-enabled newidle)" enabled "it is enabled as before"
check "systemctl restart" systemctl restart newidle
loaded_is "$next"

check "removal" dpkg --remove newidle-tools newidle-dkms
check "newidle is unloaded" gone
check "purge" dpkg --purge newidle-tools newidle-dkms
is "$(find /etc /usr /lib/systemd /var -name '*newidle*' -print)" "" "nothing is left"
is "$(systemctl --failed --plain --no-legend | grep -c newidle)" 0 "no unit of it has failed"
