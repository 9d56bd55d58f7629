#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12 7.3
# smp: 4,sockets=2,cores=2
# timeout: 600
#
# Which engine comes of what was asked for, on this kernel and on one that
# lacks this or that; the log says which and why not the other.

# loads ASKED GOT REST-OF-COMMAND...
loads()
{
	asked=$1 got=$2
	shift 2
	log_mark
	check "engine=$asked $*: loads" newidle-load engine="$asked" "$@"
	is "$(cat "$SYS/engine")" "$got" "engine=$asked $*: it is $got"
	check "engine=$asked $*: the log says so" log_says "newidle: [0-9.]*: engine $got on "
	decides "engine=$asked $*"
}

unload()
{
	check "unload" modprobe -r newidle
	check "nothing is left" gone
	check "the features are as before, byte for byte" as_before
}

# refuses ASKED PATTERN REST-OF-COMMAND...
refuses()
{
	asked=$1 pattern=$2
	shift 2
	log_mark
	check "engine=$asked $*: refused" refused modprobe newidle engine="$asked" "$@"
	check "engine=$asked $*: the log says why" log_says "newidle: engine $asked can't work on this kernel: $pattern"
	check "engine=$asked $*: nothing is left" gone
	check "engine=$asked $*: the features are as before" as_before
}

# Without SYMBOL there is no engine swap; what there is then.
lacks()
{
	refuses swap "$2" test_absent="$1"
	log_mark
	if [ "$gate_works" ]; then
		loads auto gate test_absent="$1"
		check "the log says why not swap" log_says "newidle: not engine swap: $2"
		unload
	else
		check "then nothing is left to use" refused modprobe newidle test_absent="$1"
		check "the log says why not swap" log_says "newidle: not engine swap: $2"
		check "and why not gate" log_says "newidle: engine gate can't work on this kernel: $cost_rule"
	fi
}

cost_rule="it books 3/2 of the highest cost for a failed pull"
features_keep
newidle=$(newidle_name)
gate_works=$([ "$(native)" = none ] || echo yes)

if [ "$gate_works" ]; then
	loads gate gate
	unload
else
	refuses gate "$cost_rule"
fi

without_swap()
{
	why="sched_balance_newidle or newidle_balance is no function of this kernel build: it was inlined or renamed"
	refuses swap "$why"
	loads auto gate
	check "the log says why not swap" log_says "newidle: not engine swap: $why"
	unload
}

with_swap()
{
	loads swap swap
	is "$(grep -c "^\($newidle\|$(balancer_name)\) .* I" /sys/kernel/tracing/enabled_functions)" 2 \
		"two functions are hooked"
	unload
	loads auto swap
	cp /sys/kernel/debug/newidle/members /tmp/members
	check "the members it uses are listed" grep -q '^rq.avg_idle swap 8 [0-9]' /tmp/members
	unload

	lacks "$newidle" ".* is no function of this kernel build"
	lacks raw_spin_rq_unlock "kernel symbol raw_spin_rq_unlock is missing"
	lacks rq.avg_idle "rq.avg_idle is missing"
	lacks rq_flags.cookie "rq_flags.cookie is missing"
	lacks nohz "nohz is not what it was"
	# Marks without which this is another kernel than those that were tested.
	for mark in root_domain.overload root_domain.overloaded cfs_rq.h_nr_running \
		cfs_rq.h_nr_queued; do
		grep -q "^$mark [a-z-]* [0-9]* [0-9]" /tmp/members || continue
		case $mark in
		cfs*)	lacks $mark "cfs_rq has neither of h_nr_queued and h_nr_running" ;;
		*)	lacks $mark "its new-idle balance is none of those that were tested" ;;
		esac
	done
}

if [ "$newidle" ]; then
	with_swap
else
	without_swap
fi
