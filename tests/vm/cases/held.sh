#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# smp: 4,sockets=2,cores=2
# timeout: 600
#
# A transition that is held open: nothing is decided until it is complete, and
# the helpers name who holds it and leave things as they were.

# Names of the tasks that are not in this patch state.
not_yet()
{
	for task in /proc/[0-9]*/task/[0-9]*; do
		read -r at 2>/dev/null < "$task/patch_state" || continue
		[ "$at" = "$1" ] || cat "$task/comm"
	done
}

only_the_thread_is_missing()
{
	[ "$(not_yet 1)" = nib_block ]
}

kernel_attempts()
{
	kernel_books < /proc/schedstat | awk '{ sum += $3 } END { print sum + 0 }'
}

counts()
{
	echo "$(stats calls) $(stats attempts) $(stats skips) $(stats pulls) $(stats cost_ns)"
}

# Nothing is decided, counted or changed although the load goes newly idle.
check_transparent()
{
	before=$(kernel_attempts)
	load
	after=$(kernel_attempts)
	is "$(cat "$SYS/state")" transition "$1: the state is transition"
	check "$1: the kernel tries ($((after - before)) times)" [ $((after - before)) -gt 0 ]
	is "$(counts)" "0 0 0 0 0" "$1: newidle decides and counts nothing"
	check "$1: the kernel's features are as before, byte for byte" as_before
}

# said WHO STATUS: what a helper that timed out must say
check_said()
{
	is "$status" 4 "$1 fails with status 4"
	check "$1 names the thread" contains "$words" "nib_block (pid"
	check "$1 shows where it sleeps" contains "$words" "nib_block_sleep"
	diag "$words"
}

features_keep
insmod /test/nib_block.ko
check "the thread blocks" wait_for 10 blocked Y

# Loading, held, then let go.
check "modprobe newidle returns" modprobe newidle rate=0
check_transparent "while tasks are switched"
check "all but the thread are switched within 60 s" \
	wait_for 60 only_the_thread_is_missing
check_transparent "with only the thread left"
check "a knob can be written meanwhile" knob policy always
is "$(choice policy)" always "it shows"
check_transparent "after that"
check "release" let_go
check "then it becomes active" wait_for 60 state_is active
[ "$(wanted_engine)" = swap ] || [ "$(native)" = none ] ||
	check "and the features change" refused as_before
load
check "and decides" [ "$(stats calls)" -gt 10 ]
is "$(stats skips)" 0 "by the policy written during the transition"

# Unloading, held: it stays and works.
cat "$FEATURES" > /tmp/features-active
check "block" hold_up
words=$(newidle-unload --timeout 5 2>&1)
status=$?
check_said newidle-unload
is "$(cat "$SYS/state")" active "newidle is active again"
is "$(cat /sys/kernel/livepatch/newidle/enabled)" 1 "its livepatch is enabled"
check "the features are as while it was active" cmp "$FEATURES" /tmp/features-active
knob reset 1
load
check "it decides" [ "$(stats calls)" -gt 10 ]
is "$(stats skips)" 0 "by the same policy"
check "knobs can be written" knob policy random
check "release" let_go
check "then modprobe -r newidle works" modprobe -r newidle
check "nothing is left" gone
check "the features are as before, byte for byte" as_before

# Loading by newidle-load, held: nothing is left.
check "block" hold_up
words=$(newidle-load --timeout 5 2>&1)
status=$?
check_said newidle-load
check "nothing is left" gone
check "the features are as before, byte for byte" as_before
check "release" let_go

check "with the thread out of the way newidle-load works" newidle-load
check "modprobe -r newidle works" modprobe -r newidle
check "the thread ends" rmmod nib_block
