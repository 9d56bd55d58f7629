#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# memory: 3G
# smp: 2,sockets=2
# with: debian
# append: rdinit=/lib/systemd/systemd systemd.wants=newidle.service systemd.getty_auto=0 newidle.off=1
# timeout: 600
#
# A boot that would load newidle, with newidle.off=1 on the kernel's command line.

export LC_ALL=C.UTF-8

# Has systemd come to the unit, whatever it did then?
was_met()
{
	[ "$(systemctl show --property ConditionTimestampMonotonic --value newidle)" != 0 ]
}

is "$(cat /proc/1/comm)" systemd "systemd is the first process"
check "systemd has come to the unit" wait_for 120 was_met
is "$(systemctl show --property ConditionResult,ActiveState newidle | sort | tr '\n' ' ')" \
	"ActiveState=inactive ConditionResult=no " "and passed it over"
check "nothing is loaded" gone
check "nor by systemctl start" systemctl start newidle
check "nothing is loaded" gone
log_mark
newidle-load > /tmp/said 2>&1
is $? 1 "newidle-load fails"
check "it says why" grep -q 'Operation canceled' /tmp/said
check "so does the kernel's log" log_says 'newidle: off=1 keeps it out'
check "nothing is loaded" gone
check "newidle-load off=0 loads it nevertheless" newidle-load off=0
check "it is active" state_is active
check "newidle-unload" newidle-unload
