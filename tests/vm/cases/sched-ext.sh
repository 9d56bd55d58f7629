#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 7.3
# kernels: 6.18 7.3
# smp: 4,sockets=2,cores=2
# with: python3
# clock: virtual
# timeout: 600
#
# A sched_ext scheduler that comes and goes while newidle is loaded, and newidle
# under such a scheduler.  One that takes all ordinary tasks leaves nothing for
# new-idle balance to do; one that takes some leaves the rest to newidle.
#
# The kernel throws a scheduler out when its stall detector barks, which it must not
# do because a busy host took the guest's CPU away: hence the clock.

SCX=/sys/kernel/sched_ext

scx_is()
{
	[ "$(cat $SCX/state)" = "$1" ]
}

# scx_on all|partial
scx_on()
{
	scx "$1" > /tmp/scx 2>&1 &
	scheduler=$!
	check "a scheduler that takes $1 is on" wait_for 60 scx_is enabled
	is "$(cat $SCX/switch_all)" "$([ "$1" = all ] && echo 1 || echo 0)" "it takes $1"
}

scx_off()
{
	kill "$scheduler"
	wait "$scheduler"
	check "the scheduler goes" wait_for 60 scx_is disabled
}

# nothing_is_asked WHAT: under load neither the kernel nor newidle tries anything,
# but what a task of another kind may have caused
nothing_is_asked()
{
	check "$1: a quiet moment" snapshot /tmp/before
	load
	check "$1: another" snapshot /tmp/after
	difference=$(compare /tmp/before /tmp/after)
	diag "$difference"
	check "$1: both books agree" contains "$difference" " 0 lines differ"
	check "$1: next to nothing is asked" [ "$(changed /tmp/before /tmp/after 4)" -le 5 ]
	is "$(cat "$SYS/state")" active "$1: newidle is active"
}

# A load of fair tasks, and one of the scheduler's.
mixed()
{
	highest_cost 0
	scx under hackbench -g 1 -l 100 > /tmp/under 2>&1 &
	under=$!
	load
	wait $under
	is $? 0 "a load under it ends well"
}

check_gone()
{
	check "$1: unload" newidle-unload --timeout 120
	check "$1: nothing is left" gone
	check "$1: the kernel's features are as before, byte for byte" as_before
}

features_keep
check "this kernel has sched_ext" [ -e $SCX/state ]

# It comes and goes while newidle is there.
check "newidle-load" newidle-load --timeout 120
is "$(cat "$SYS/engine")" "$(wanted_engine)" "engine"
books_agree "before it"
scx_on all
nothing_is_asked "it takes all"
check "a policy can be set" knob policy always
check "newidle check tells of it" contains "$(newidle check)" "nib_scx is enabled: its tasks are not of the fair class"
scx_off
decides "after it"
books_agree "after it"
scx_on partial
for policy in random value; do
	knob policy $policy
	books_agree "it takes some, $policy" mixed
	check "it takes some, $policy: newidle decides" \
		[ "$(changed /tmp/before /tmp/after 4)" -gt 10 ]
done

# newidle goes and comes while it is there.
check_gone "under one that takes some"
check "newidle-load under it" newidle-load --timeout 120
books_agree "newidle came second" mixed
scx_off
check_gone "after it has gone"
scx_on all
check "newidle-load under one that takes all" newidle-load --timeout 120
nothing_is_asked "newidle came second"
check_gone "under one that takes all"
check "newidle-load again" newidle-load --timeout 120
scx_off
decides "it went first"
books_agree "it went first"
check_gone "at last"
is "$(dmesg | grep -c 'sched_ext: .*disabled (unregistered')" 3 "it went when it was told to"
