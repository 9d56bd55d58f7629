#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# kernels: 6.1 6.12 6.18 7.3
# engines: all
# smp: 4,sockets=2,cores=2
# timeout: 500
#
# The function graph tracer, which changes where a function returns to, and probes
# at the entry and the return, on the function that newidle patches; started before
# and after it.

TRACING=/sys/kernel/tracing
target=$(function_name "$(wanted_target)")

# graph_on FUNCTION
graph_on()
{
	echo "$1" > $TRACING/set_ftrace_filter &&
		echo function_graph > $TRACING/current_tracer
}

graph_off()
{
	echo nop > $TRACING/current_tracer && echo > $TRACING/set_ftrace_filter
}

probes_on()
{
	echo "p:nib_in $target" > $TRACING/kprobe_events &&
		echo "r:nib_out $target" >> $TRACING/kprobe_events &&
		echo 1 > $TRACING/events/kprobes/enable
}

probes_off()
{
	echo 0 > $TRACING/events/kprobes/enable && echo > $TRACING/kprobe_events
}

graph_sees()
{
	[ "$(grep -c " $target()" $TRACING/trace)" -gt 10 ]
}

# hits PROBE
hits()
{
	awk -v probe="$1" '$1 == probe { print $2 }' $TRACING/kprobe_profile
}

# all_see WHAT: under load the tracer and the probes see calls, and newidle decides
all_see()
{
	echo > $TRACING/trace
	in=$(hits nib_in)
	out=$(hits nib_out)
	decides "$1"
	check "$1: the tracer sees calls" graph_sees
	check "$1: the probe at the entry does" [ $(($(hits nib_in) - in)) -gt 10 ]
	check "$1: that at the return does" [ $(($(hits nib_out) - out)) -gt 10 ]
}

features_keep
# On another function it sees none.
check "the tracer starts elsewhere" graph_on cmdline_proc_show
load
check "there are none of $target's calls" refused graph_sees
check "it stops" graph_off

check "the tracer starts" graph_on "$target"
check "so do probes" probes_on
check "newidle-load under them" newidle-load --timeout 120
all_see "they came first"
check "unload under them" newidle-unload --timeout 120
check "nothing is left" gone
echo > $TRACING/trace
load
check "the tracer goes on" graph_sees
check "it stops" graph_off
check "and the probes go" probes_off

check "newidle-load" newidle-load --timeout 120
check "the tracer starts" graph_on "$target"
check "so do probes" probes_on
all_see "newidle came first"
books_agree "newidle came first"
check "the tracer stops" graph_off
check "the probes go" probes_off
decides "without them"
check "unload" newidle-unload --timeout 120
check "nothing is left" gone
check "the kernel's features are as before, byte for byte" as_before
