#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.18
# smp: 8,sockets=2,cores=2,threads=2
# kernels: 6.1 6.12 6.18
# timeout: 500
#
# cost_bump: a failed attempt books 3/2 of the domain's highest cost, at most the
# migration cost and 200 ns, as some kernels did.  Without it no cost is just that.

SCHED=/sys/kernel/debug/sched
echo Y > "$SCHED/verbose" 2> /dev/null
limit=$(($(cat "$SCHED"/migration_cost_ns) + 200))

# at_limit SECONDS: how many times a domain's highest cost was just the limit
at_limit()
{
	seen=0
	highest_cost 1000
	until=$(($(cut -d. -f1 /proc/uptime) + $1))
	while [ "$(cut -d. -f1 /proc/uptime)" -lt $until ]; do
		hackbench -g 2 -l 50 > /dev/null
		seen=$((seen + $(cat "$SCHED"/domains/cpu*/domain*/max_newidle_lb_cost | grep -cx $limit)))
	done
	echo $seen
}

check "newidle-load" newidle-load policy=always cost_bump=0
is "$(cat "$SYS/engine") $(cat "$SYS/cost_bump")" "swap 0" "engine and cost_bump"
is "$(at_limit 20)" 0 "off: no domain's highest cost is $limit"
knob cost_bump 1
is "$(cat "$SYS/cost_bump")" 1 "cost_bump takes 1"
seen=$(at_limit 20)
diag "$seen times $limit"
check "on: domains' highest costs come to $limit" [ "$seen" -gt 0 ]
knob cost_bump 0
is "$(at_limit 20)" 0 "off again: none"
check "unload" modprobe -r newidle
check "newidle-load cost_bump=1" newidle-load cost_bump=1
is "$(cat "$SYS/cost_bump")" 1 "the parameter is in force"
check "unload" modprobe -r newidle
