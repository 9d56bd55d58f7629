#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kernels: 6.12-debug
# engines: all
# smp: 4,sockets=2,cores=1,threads=2
# cpu: max,vendor=GenuineIntel
# timeout: 400
#
# Core scheduling, which Debian's kernels don't have: siblings share one run-queue
# lock while there are cookies, and a CPU that runs out of tasks of its cookie
# is forced idle.  The kernel's books and ours agree all the same.

# forced PID: ns that a sibling was kept idle for this task
forced()
{
	sed -n 's/^core_forceidle_sum *: *\([0-9]*\).*/\1/p' "/proc/$1/sched"
}

# Two that may not share a core, on the two threads of one.
rivals()
{
	taskset -c 0 cookie sh -c 'while :; do :; done' &
	one=$!
	taskset -c 1 cookie sh -c 'while :; do :; done' &
	other=$!
	sleep 3
	diag "a sibling was kept idle for $(forced $one) and $(forced $other) ns"
	check "$1: the siblings are never shared" \
		[ "$(forced $one)" -gt 0 -a "$(forced $other)" -gt 0 ]
	kill $one $other
	wait $one $other
}

# Two loads that may not share a core, at the same time.
two_loads()
{
	highest_cost 0
	cookie hackbench -g 1 -l 100 > /dev/null &
	cookie waves 6 6 1000 1500 > /dev/null
	wait $!
}

is "$(grep -c ^domain /proc/schedstat)" 8 "siblings, and the rest: two domains for each CPU"
check "newidle-load" newidle-load
rivals "newidle works"
for policy in always random stock; do
	knob policy $policy
	knob reset 1
	check "$policy: the kernel's books are quiet" snapshot /tmp/before
	two_loads
	check "$policy: still quiet" snapshot /tmp/after
	said=$(compare /tmp/before /tmp/after)
	is $? 0 "$policy: both books agree on every CPU and level"
	diag "$said"
	check "$policy: enough attempts" [ "$(changed /tmp/before /tmp/after 5)" -ge 50 ]
done
is "$(cat "$SYS/state")" active "newidle is active"
knob policy always

# While they come and go, so does newidle.
rivals "before it is unloaded" > /tmp/rivals &
check "unload" newidle-unload --timeout 150
wait $!
cat /tmp/rivals
check "nothing is left" gone
rivals "without newidle"
