#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# smp: 4,sockets=2,cores=2
# timeout: 500
#
# Beside other livepatches: elsewhere, below us, above us, and instead of us.

LP=/sys/kernel/livepatch
NIB_CALLS=/sys/module/nib_lp/parameters/calls

complete()
{
	[ "$(cat $LP/"$1"/transition)" = 0 ]
}

# patch_on MODULE [PARAMETER]: load another livepatch, wait until all use it
patch_on()
{
	insmod "/test/$1.ko" ${2:+"$2"} && wait_for 60 complete "$1"
}

absent()
{
	[ ! -e "$1" ]
}

# patch_off MODULE: if it is still enabled, disable it; remove it
patch_off()
{
	[ ! -e "$LP/$1" ] || echo 0 > "$LP/$1/enabled" || return
	wait_for 60 absent "$LP/$1" && wait_for 10 rmmod "$1"
}

state_is()
{
	[ "$(cat "$SYS/state")" = "$1" ]
}

as_before()
{
	cmp "$FEATURES" /tmp/features
}

# check_works WHAT: newidle is active and decides
check_works()
{
	is "$(cat "$SYS/state")" active "$1: newidle is active"
	# What the kernel's dice skipped while we were shadowed is unknown.
	knob reset 1
	load
	check "$1: newidle decides" [ "$(stats calls)" -gt 10 ]
}

# check_asleep WHAT: newidle is not asked any more, the other livepatch is
check_asleep()
{
	before=$(stats attempts)
	other=$(cat "$NIB_CALLS")
	load
	is "$(stats attempts)" "$before" "$1: newidle is not asked"
	check "$1: the other livepatch is" [ $(($(cat "$NIB_CALLS") - other)) -gt 10 ]
}

check_gone()
{
	check "$1: modprobe -r newidle" modprobe -r newidle
	check "$1: nothing is left" gone
	check "$1: the kernel's features are as before, byte for byte" as_before
}

check_refused()
{
	log_mark
	check "$1: newidle-load fails" refused newidle-load
	check "$1: the log names the function and the reason" \
		log_says "newidle: $balancer is already livepatched or redirected"
	check "$1: nothing is left" gone
	check "$1: the kernel's features are as before, byte for byte" as_before
}

cat "$FEATURES" > /tmp/features
balancer=$(grep -ow 'sched_balance_rq\|load_balance' /proc/kallsyms | head -n 1)

# Elsewhere, earlier and later: neither notices the other.
check "a livepatch on another function" patch_on nib_other
is "$(cat /proc/cmdline)" nib_other "it works"
check "newidle-load after it" newidle-load
check_works "with another livepatch below"
is "$(cat /proc/cmdline)" nib_other "the other works"
check "the other goes" patch_off nib_other
check "and /proc/cmdline is the kernel's" grep -q console= /proc/cmdline
check_works "without it"
check "the other comes back" patch_on nib_other
check_works "with another livepatch above"
check_gone "with another livepatch above"
is "$(cat /proc/cmdline)" nib_other "the other works"
check "the other goes" patch_off nib_other

# Below us: our call past the function's entry would undo it.
check "a livepatch on the same function" patch_on nib_lp
check_refused "a livepatch below"
other=$(cat "$NIB_CALLS")
load
check "the other works on" [ $(($(cat "$NIB_CALLS") - other)) -gt 10 ]
check "the other goes" patch_off nib_lp
check "then newidle-load works" newidle-load
check_works "after the other has gone"

# Above us.
check "a livepatch comes above" patch_on nib_lp
is "$(cat "$SYS/state")" shadowed "the state is shadowed"
check_asleep "shadowed"
check "shadowed: the kernel's dice come back" wait_for 5 as_before
check "it goes" patch_off nib_lp
check "and go when it has gone" wait_for 5 refused as_before
check_works "after it has gone"
check "it comes back" patch_on nib_lp
is "$(cat "$SYS/state")" shadowed "the state is shadowed"
check_gone "shadowed"
other=$(cat "$NIB_CALLS")
load
check "the one above works on" [ $(($(cat "$NIB_CALLS") - other)) -gt 10 ]
check "it goes" patch_off nib_lp

# Instead of us, on the same function.
check "newidle-load" newidle-load
check "the features change" refused as_before
log_mark
check "a livepatch replaces all others" patch_on nib_lp replace=1
check "the features come back by themselves" wait_for 5 as_before
is "$(cat "$SYS/state")" evicted "the state is evicted"
check "the log says so" log_says "newidle: switched off by another livepatch"
check "newidle's livepatch is off" absent "$LP/newidle"
check_asleep "evicted"
check "knobs answer that it is too late" refused knob policy always
check_gone "evicted"
check_refused "the one that replaced it"
check "that one goes" patch_off nib_lp
check "then newidle-load works" newidle-load
check_works "loaded again"

# Instead of us, elsewhere: the function is free again.
check "a livepatch on another function replaces all others" \
	patch_on nib_other replace=1
is "$(cat "$SYS/state")" evicted "the state is evicted"
check "reading it gave the features back" as_before
check_gone "evicted"
check "newidle-load beside the one that replaced it" newidle-load
check_works "loaded again"
check_gone "at last"
check "the other goes" patch_off nib_other
