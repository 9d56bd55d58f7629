#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.1 7.3
# smp: 2,sockets=2
# timeout: 500
#
# What a kernel, an engine or a machine lacks: the knobs that need it say so, and
# the rest works.

no="Operation not supported"

# lacks KNOB VALUE PATTERN: EOPNOTSUPP, nothing changed, a line in the log
lacks()
{
	before=$(cat "$SYS/$1")
	log_mark
	error=$(echo "$2" | dd of="$SYS/$1" 2>&1)
	check "$1=$2: EOPNOTSUPP" contains "$error" "$no"
	is "$(cat "$SYS/$1")" "$before" "$1=$2: nothing has changed"
	check "$1=$2: the log says why" log_says "newidle: $1=$2 needs $3"
}

# Under engine gate rq.avg_idle is needed for these alone.
absent="test_absent=rq.avg_idle"
modprobe_refused "$no" "policy=value needs rq.avg_idle" policy=value $absent
modprobe_refused "$no" "retry=1 needs rq.avg_idle" retry=1 $absent
check "the rest loads" newidle-load $absent
is "$(cat "$SYS/engine")" gate "without rq.avg_idle the engine is gate"
lacks policy value "rq.avg_idle"
lacks retry 1 "rq.avg_idle"
for setting in "policy bresenham" "policy random" "retry 0" "max_level all"; do
	# shellcheck disable=SC2086
	check "$setting works" knob $setting
done
decides "without rq.avg_idle"
check "unload" modprobe -r newidle

# The second look under gate puts right what the kernel books.
check "newidle-load" newidle-load engine=gate test_absent=rq.max_idle_balance_cost
lacks retry 1 "rq.max_idle_balance_cost"
check "policy value works" knob policy value

# The domains' costs are the kernel's under gate.
is "$(cat "$SYS/cost_bump")" unsupported "cost_bump reads unsupported under gate"
for value in 0 1; do
	log_mark
	error=$(echo $value | dd of="$SYS/cost_bump" 2>&1)
	check "cost_bump refuses $value with EOPNOTSUPP" contains "$error" "$no"
	check "the log says why" log_says "newidle: cost_bump=1 needs engine swap"
done
check "unload" modprobe -r newidle
modprobe_refused "$no" "cost_bump=1 needs engine swap" engine=gate cost_bump=1

# This machine's only domain is as wide as a node.
log_mark
check "newidle-load" newidle-load policy=always max_level=llc
check "the log says what llc comes to" \
	log_says "newidle: max_level=llc: this machine has no such domains nor narrower ones, so nothing is tried"
knob reset 1
load
is "$(stats attempts) $(stats calls)" "0 0" "nothing is tried"
log_mark
knob max_level node
decides "up to the node"
check "and nothing is said of that" refused log_says "newidle: max_level"
check "unload" modprobe -r newidle
