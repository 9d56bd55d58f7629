#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 7.3
# kernels: 6.1 7.3
# smp: 8,sockets=2,cores=2,threads=2
# cpu: max,vendor=GenuineIntel
# timeout: 500
#
# Engine gate makes the second look within the kernel's call for the widest
# domain, which the kernel charges for it; the next pass takes that off again.
# By itself a domain's highest cost sinks by 1 % a second at most.

echo Y > /sys/kernel/debug/sched/verbose 2> /dev/null

# The widest domain of CPU 0.
widest()
{
	for dir in /sys/kernel/debug/sched/domains/cpu0/domain*; do
		last=$dir
	done
	echo "$last"
}

# While a load runs: its highest cost whenever that has changed, one a line.  It
# is forgotten now and then ("-"), or it would soon be as high as any attempt was.
sample()
{
	file=$(widest)/max_newidle_lb_cost
	before=
	reads=0
	while [ -e /tmp/busy ]; do
		read -r cost < "$file"
		[ "$cost" = "$before" ] || echo "$cost"
		before=$cost
		reads=$((reads + 1))
		if [ $((reads % 500)) -eq 0 ]; then
			echo 0 > "$file"
			echo -
			before=
		fi
	done
}

# drops SECONDS: how often it sank by more than a tenth at once
drops()
{
	: > /tmp/busy
	sample > /tmp/costs &
	sampler=$!
	until=$(($(cut -d. -f1 /proc/uptime) + $1))
	while [ "$(cut -d. -f1 /proc/uptime)" -lt $until ]; do
		hackbench -g 2 -l 100 > /dev/null
	done
	rm /tmp/busy
	wait $sampler
	awk '$1 != "-" && $1 < 0.9 * last { n++ } { last = $1 } END { print n + 0 }' /tmp/costs
}

check "newidle-load" newidle-load engine=gate policy=bresenham rate=0 retry_idle_pct=1
check "CPU 0 has three domains" [ "$(widest)" = /sys/kernel/debug/sched/domains/cpu0/domain2 ]
without=$(drops 20)
diag "without retry: $(wc -l < /tmp/costs) changes, $without great drops"
is "$without" 0 "without retry the widest domain's highest cost only decays"
knob retry 1
with=0
for _ in $(seq 10); do
	with=$((with + $(drops 15)))
	[ $with -lt 3 ] || break
done
diag "with retry: $with great drops, $(stats retries) retries"
check "with retry what it was charged is taken off again" [ "$with" -ge 3 ]
check "unload" modprobe -r newidle
