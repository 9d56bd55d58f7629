#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# smp: 4,sockets=2,cores=2
# clock: virtual
# kernels: 6.1 6.12 6.17 6.18
# timeout: 600
#
# Event by event: what the kernel's own new-idle balance leaves behind, and what
# our steps do from the same inputs.  See tests/vm/twin/twin.c.

PARAMETERS=/sys/module/newidle/parameters
# Fewer than this of a kind are no test of it.
FEWEST=10

# count WORDS: from the report
count()
{
	sed -n "s/^$1 \([0-9]*\)\$/\1/p" /tmp/report
}

compare_for()
{
	echo 1 > $PARAMETERS/twin_report
	waves 6 "$1" 1000 1500 > /dev/null
	cat $PARAMETERS/twin_report > /tmp/report
}

# A fault shows with some kinds of events alone, of which there may be few.
noticed()
{
	compare_for 3
	[ "$(count different)" -gt 0 ]
}

# Kernels without dice book failures dearly.
bump=1
if [ "$(native)" != none ]; then
	echo NO_NI_RANDOM > "$FEATURES"
	bump=0
fi
check "the twins are loaded" insmod /test/twin/newidle.ko engine=swap policy=always \
	cost_bump=$bump
check "and active" wait_for 120 state_is active

compare_for 12
is "$(count different)" 0 "no event left behind another thing than the kernel's function"
diag "$(cat /tmp/report)"
check "enough were compared" [ "$(count compared)" -ge 500 ]
for kind in a-task-is-coming not-overloaded no-time-at-all pulled stopped \
	budget-used-up all-domains other-tasks blocked-load; do
	check "$kind: enough" [ "$(count "kind $kind")" -ge $FEWEST ]
done

fault=0
for what in "next_balance is not moved" "idle_stamp is not cleared" \
	"costs sink too slowly" "the highest cost of a pass is not kept" \
	"other tasks are not told of" "blocked load is not seen to" \
	"the walk does not stop" "domains' next balance is not noted" \
	"a cost is too high"; do
	fault=$((fault + 1))
	echo $fault > $PARAMETERS/twin_fault
	check "noticed: $what" wait_for 2 noticed
	diag "$(count different) of $(count compared)"
done
echo 0 > $PARAMETERS/twin_fault
check "unload" newidle-unload
