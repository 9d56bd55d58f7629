#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# suite: long
# kernels: 6.12 7.3
# smp: 8,sockets=2,cores=4
# memory: 2G
# with: python3
# clock: quick
# timeout: 3600
#
# Recordings of several loads, and that replay reads them.  With "recordings=N" on
# the kernel's command line they are N times as long, and are sent out: that is
# what tests/bed/recordings makes docs/figures.md of.  "load=NAME" there chooses
# one load, "seed=N" the times that waves draws.
#
# Guest time is instructions, 1 ns each, of CPUs that take turns: each does what it
# has to do 8 times as slowly when all have.  So is everything here that is a time
# 8 times as long: the kernel's migration cost, with which it cuts off the average
# idle time, and what the loads work and sleep.  An attempt in which its CPU loses its
# turn books what the others did meanwhile; lest the kernel take attempts for too
# dear for minutes then, costs are forgotten now and then.

export LC_ALL=C.UTF-8

times=$(asked_for recordings)
only=$(asked_for load)
seed=$(asked_for seed)
seconds=$((2 * ${times:-1}))
echo 4000000 > /sys/kernel/debug/sched/migration_cost_ns

# recorded WHAT COMMAND...
recorded()
{
	what=$1
	shift
	case $only in "" | "$what") ;; *) return 0 ;; esac
	newidle record -o /tmp/recording -- "$@" > /tmp/said 2>&1
	is $? 0 "record $what"
	diag "$(grep -e ' attempts in ' -e 'went idle' /tmp/said)"
	newidle replay -m 8000 -p policy=always -p policy=value \
		/tmp/recording > /tmp/said 2>&1
	is $? 0 "replay $what"
	diag "$(sed -n '/^kept:/q; p' /tmp/said)"
	[ "$times" ] || return 0
	echo "recording $what"
	gzip -c /tmp/recording | base64
	echo "recorded $what"
}

forget_now_and_then()
{
	while sleep 0.25; do
		highest_cost 0
	done
}

check "newidle-load" newidle-load
forget_now_and_then &
forgetter=$!
recorded barrier /usr/lib/newidle/newidle-barrier -t 10 -s 2400 -d $seconds
recorded waker /usr/lib/newidle/newidle-waker -u 80 -d $seconds
recorded hackbench hackbench -g 5 -f 1 -l $((64000 * ${times:-1}))
recorded stress-ng-sock stress-ng --sock 4 --timeout ${seconds}s
recorded waves waves 12 $seconds 2400 1600 "${seed:-1}"
kill $forgetter
wait $forgetter
check "unload" modprobe -r newidle
