#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# smp: 4,sockets=2,cores=2
# timeout: 400
#
# Tasks that are dead but not gone when the livepatch is switched on or off: the
# kernel's livepatch code does not know them, and warns (which the guest's judge
# takes for a failure) if one meets a function in transition.  A transition held
# open gives them time to.

DYING=/sys/module/nib_dead/parameters/dying

# A task is waited for and stays: with this many.  All built in, since a shell's
# own commands die as well; the parent may know before the task stays.
dies()
{
	/tmp/dying
	tries=0
	while read -r dying < $DYING && [ "$dying" = 0 ] && [ $tries -lt 20000 ]; do
		tries=$((tries + 1))
	done
}

printf '#!/bin/sh\nexit 0\n' > /tmp/dying
chmod +x /tmp/dying
insmod /test/nib_dead.ko ms=8000
insmod /test/nib_block.ko
check "a thread holds transitions up" wait_for 10 blocked Y

dies
modprobe newidle engine="$(wanted_engine)"
loaded=$?
read -r left < $DYING
is "$dying" 1 "a task is dying"
is "$loaded" 0 "meanwhile the module is loaded"
is "$left" 0 "which waits until it has gone"
sleep 9
is "$(cat "$SYS/state")" transition "the transition is held"
let_go
check "and becomes active" wait_for 60 state_is active

load
check "the thread holds transitions up again" hold_up
dies
echo 0 > /sys/kernel/livepatch/newidle/enabled
read -r left < $DYING
is "$dying" 1 "a task is dying"
is "$left" 0 "switching off waits until it has gone"
is "$(cat "$SYS/state")" transition "the transition is held"
sleep 9
let_go
check "it becomes disabled" wait_for 60 state_is disabled
check "modprobe -r newidle" modprobe -r newidle
check "nothing is left" gone
rmmod nib_block
rmmod nib_dead

# And one that goes just when newidle could not wait yet.  It does not come to newidle
# if its CPU happens to have something else to do, so there are some rounds; to the
# balancer the softirq of a tick brings it, for which it stays.
round()
{
	newidle-load &&
		insmod /test/nib_dead.ko ms=8000 gap=2000 stay="$stay" \
			on="$(wanted_target)" &&
		grep do_task_dead /sys/kernel/tracing/enabled_functions || return
	dies
	echo 0 > /sys/kernel/livepatch/newidle/enabled
	met=$(cat /sys/module/nib_dead/parameters/met)
	diag "met $met times"
	modprobe -r newidle && gone && rmmod nib_dead &&
		! grep do_task_dead /sys/kernel/tracing/enabled_functions
}

[ "$(wanted_engine)" = gate ] && stay=500 || stay=0
met=0 rounds=0 good=0
while [ "$met" = 0 ] && [ $rounds -lt 8 ]; do
	rounds=$((rounds + 1))
	round && good=$((good + 1))
done
is $good $rounds "who dies is watched while newidle is loaded, and no longer"
case $(wanted_engine)/$(uname -r) in
gate/*-rt-*)
	diag "softirqs have threads of their own here, and interrupt no dying task" ;;
*)
	check "a task that was dying came to a function of newidle's before it was told" \
		[ "$met" -gt 0 ] ;;
esac

# Without the means against that newidle works, and says what may come.
log_mark
check "newidle-load where do_task_dead can't be traced" \
	newidle-load test_absent=do_task_dead
check "the log says what may come of it" \
	log_says "newidle: do_task_dead or the softirq that balances can't be traced"
check "unload" modprobe -r newidle
check "nothing is left" gone
