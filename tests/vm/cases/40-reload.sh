#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 7.3
# engines: all
# smp: 4,sockets=2,cores=2
# timeout: 500
#
# Load and unload under load; on 6.12 "make test" has stress, which does that, too.
#
# Kernel 6.12 (in the matrix) patches every cond_resched() of its own, one by one, when a
# transition begins and ends, and waits for all CPUs each time.  On a guest whose
# CPUs take turns of 100 ms on one thread of the host that takes minutes if none
# of them is ever idle, so the load leaves gaps.

END=$(($(date +%s) + 100))
features_keep

busy()
{
	while [ -e /tmp/busy ]; do
		hackbench -g 1 -l 50 > /dev/null 2>&1
		sleep 0.3
	done
}

touch /tmp/busy
busy &
busy=$!

cycles=0
pulls=0
while [ "$(date +%s)" -lt "$END" ] || [ $cycles -lt 3 ]; do
	newidle-load --timeout 150 > /tmp/said 2>&1 || break
	sleep 1
	now=$(stats pulls)
	pulls=$((pulls + now))
	newidle-unload --timeout 150 >> /tmp/said 2>&1 || break
	gone || break
	cycles=$((cycles + 1))
done
rm /tmp/busy
wait $busy

check "at least 3 cycles" [ $cycles -ge 3 ]
[ $cycles -ge 3 ] || diag "$(cat /tmp/said)"
diag "$cycles cycles of load and unload under hackbench, $pulls tasks pulled in between"
check "newidle worked in between" [ $pulls -gt 0 ]
check "nothing is left" gone
check "the kernel's features are as before, byte for byte" as_before
