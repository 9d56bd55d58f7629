#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 700
#
# Load and unload under load, for three minutes at most.

END=$(($(date +%s) + 100))
cat "$FEATURES" > /tmp/features

busy()
{
	while [ -e /tmp/busy ]; do
		hackbench -g 2 -l 50 > /dev/null 2>&1
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
check "the kernel's features are as before, byte for byte" \
	cmp "$FEATURES" /tmp/features
