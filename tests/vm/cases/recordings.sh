#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# suite: long
# kernels: 6.12 7.3
# smp: 8,sockets=2,cores=4
# memory: 2G
# with: python3
# clock: virtual
# timeout: 1800
#
# What replay says of recordings of several loads: tables to look at.  Guest time is
# instructions of CPUs that take turns, so shares may be compared, but times are
# no machine's.

export LC_ALL=C.UTF-8

# recorded WHAT COMMAND...
recorded()
{
	what=$1
	shift
	newidle record -o /tmp/recording -- "$@" > /tmp/said 2>&1
	is $? 0 "record $what"
	diag "$(grep -e ' attempts in ' -e 'went idle' /tmp/said)"
	newidle replay -p policy=always -p policy=random,rate=0 -p policy=random,rate=1 \
		-p policy=bresenham,rate=1 -p policy=value -p policy=value,retry=1 \
		/tmp/recording > /tmp/said 2>&1
	is $? 0 "replay $what"
	diag "$(sed -n '/^kept:/q; p' /tmp/said)"
}

check "newidle-load" newidle-load
forget_costs &
forgetter=$!
recorded hackbench hackbench -g 2 -l 2000
recorded "stress-ng sock" stress-ng --sock 4 --timeout 10s
recorded barrier /usr/lib/newidle/newidle-barrier -t 10 -d 10
recorded waker /usr/lib/newidle/newidle-waker -d 10
recorded waves waves 12 10 300 200
kill $forgetter
wait $forgetter
check "unload" modprobe -r newidle
