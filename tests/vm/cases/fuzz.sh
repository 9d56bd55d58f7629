#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# kernels: 6.1 6.12 7.3
# smp: 4,sockets=2,cores=2
# clock: virtual
# timeout: 500
#
# 100000 writes of all kinds to the files in /sys/kernel/newidle, by four threads
# at once: see tests/vm/load/fuzz.c.

# field NAME: of what fuzz said
field()
{
	sed -n "s/.*\<$1=\([0-9]*\).*/\1/p" /tmp/fuzzed
}

features_keep
check "newidle-load" newidle-load
seed=$(date +%s)
log_mark
read -r before _ < /proc/uptime
fuzz 100000 1000 "$seed" > /tmp/fuzzed
is $? 0 "what is documented is taken, all else refused, and nothing else is read"
read -r after _ < /proc/uptime
# shellcheck disable=SC2154
lines=$(($(dmesg | wc -l) - log_lines))
seconds=$((${after%.*} - ${before%.*} + 1))
diag "seed $seed, $seconds s, $lines lines in the log"
diag "$(cat /tmp/fuzzed)"

is "$(field writes)" 100000 "all writes were made"
check "most were bad" [ "$(field refused)" -ge 40000 ]
check "some were good" [ "$(field taken)" -ge 5000 ]
is "$(field policies)" 1000 "so many policies were set"
# 50 in 5 s, and how many were left out.
check "the log was not flooded" [ $lines -le $((100 + seconds * 20)) ]
check "bad values are in it" log_says "newidle: [a-z_]*: bad value"

is "$(cat "$SYS/state")" active "newidle is active"
for setting in "policy always" "max_level all" "retry 0" "reset 1"; do
	# shellcheck disable=SC2086
	check "$setting" knob $setting
done
load
check "and decides" [ "$(stats attempts)" -gt 10 ]
is "$(stats skips)" 0 "by the policy that was set at last"
check "unload" modprobe -r newidle
check "nothing is left" gone
check "the kernel's features are as before, byte for byte" as_before
