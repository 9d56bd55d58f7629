#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12 7.3
# smp: 4,sockets=2,cores=2
# timeout: 500
#
# Beside other livepatches: elsewhere, below us, above us, and instead of us.

ON=$(wanted_target)
LP=/sys/kernel/livepatch
NIB_CALLS=/sys/module/nib_lp/parameters/calls

complete()
{
	[ "$(cat $LP/"$1"/transition)" = 0 ]
}

# patch_on MODULE [PARAMETER...]: load another livepatch, wait until all use it
patch_on()
{
	name=$1
	shift
	insmod "/test/$name.ko" "$@" && wait_for 60 complete "$name"
}

absent()
{
	[ ! -e "$1" ]
}

# Let dead tasks go: the kernel warns if one that was waited for passes through a
# function that is in transition.  newidle's livepatch waits for them itself.
let_dead_go()
{
	read -r began _ < /proc/uptime
	while read -r time _ < /proc/uptime && [ "${time%.*}" -lt $((${began%.*} + 2)) ]; do
		:
	done
}

# patch_off MODULE: if it is still enabled, disable it; remove it
patch_off()
{
	if [ -e "$LP/$1" ]; then
		let_dead_go
		echo 0 > "$LP/$1/enabled" || return
	fi
	wait_for 60 absent "$LP/$1" && wait_for 10 rmmod "$1"
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

# Ratio, calls and successes of each domain: what a decision changes.
policy_states()
{
	awk '{ print $1, $2, $11, $12, $13 }' "$DOMAINS"
}

# check_asleep WHAT: newidle is not asked any more, the other livepatch is
check_asleep()
{
	before=$(policy_states)
	other=$(cat "$NIB_CALLS")
	load
	is "$(policy_states)" "$before" "$1: newidle is not asked"
	check "$1: the other livepatch is" [ $(($(cat "$NIB_CALLS") - other)) -gt 10 ]
}

unknown()
{
	[ "$(stats "$1")" = - ]
}

# Engine gate switches the kernel's dice off, if it has some.
dice_taken()
{
	if [ "$(wanted_engine)" = gate ] && [ "$(native)" != none ]; then
		refused as_before
	else
		as_before
	fi
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
		log_says "newidle: $target is already livepatched or redirected"
	check "$1: nothing is left" gone
	check "$1: the kernel's features are as before, byte for byte" as_before
}

features_keep
target=$(function_name "$ON")

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
check "a livepatch on the same function" patch_on nib_lp on="$ON"
check_refused "a livepatch below"
other=$(cat "$NIB_CALLS")
load
check "the other works on" [ $(($(cat "$NIB_CALLS") - other)) -gt 10 ]
check "the other goes" patch_off nib_lp
check "then newidle-load works" newidle-load
check_works "after the other has gone"

# Above us.
check "a livepatch comes above" patch_on nib_lp on="$ON"
is "$(cat "$SYS/state")" shadowed "the state is shadowed"
check_asleep "shadowed"
check "shadowed: the kernel's dice come back" wait_for 5 as_before
check "shadowed: what can't be known reads -" wait_for 5 unknown calls
check "it goes" patch_off nib_lp
check "and go when it has gone" wait_for 5 dice_taken
check_works "after it has gone"
check "it comes back" patch_on nib_lp on="$ON"
is "$(cat "$SYS/state")" shadowed "the state is shadowed"
check_gone "shadowed"
other=$(cat "$NIB_CALLS")
load
check "the one above works on" [ $(($(cat "$NIB_CALLS") - other)) -gt 10 ]
check "it goes" patch_off nib_lp

# Instead of us, on the same function.
check "newidle-load" newidle-load
check "the features change" dice_taken
log_mark
check "a livepatch replaces all others" patch_on nib_lp on="$ON" replace=1
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

# Engine swap counts at a second function, the balancer.
if [ "$(wanted_engine)" = swap ]; then
	check "a livepatch on the balancer" patch_on nib_lp
	target=$(balancer_name)
	check_refused "a livepatch on the balancer"
	check "it goes" patch_off nib_lp

	check "newidle-load" newidle-load
	check "a livepatch comes above on the balancer" patch_on nib_lp
	is "$(cat "$SYS/state")" active "newidle is active, for it is asked"
	check "the log says what is lost" wait_for 5 log_says \
		"newidle: another livepatch has come above ours on $target: attempts under policy stock can't be counted"
	other=$(cat "$NIB_CALLS")
	books_agree "with it"
	check "the other livepatch is asked too" [ $(($(cat "$NIB_CALLS") - other)) -gt 10 ]
	knob policy stock
	is "$(stats attempts)$(stats pulls)$(stats cost_ns)" "---" "under stock they read -"
	check "it goes" patch_off nib_lp
	check "newidle has noticed" wait_for 5 log_says \
		"newidle: the livepatch above ours on $target has gone"
	knob reset 1
	load
	check "then they are known again" [ "$(stats attempts)" -gt 0 ]
	check_gone "after that"
fi
