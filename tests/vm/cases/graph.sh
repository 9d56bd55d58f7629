#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# kernels: 6.12 7.3
# engines: all
# smp: 4,sockets=2,cores=2
# timeout: 500
#
# The function graph tracer on the function that newidle patches, started before
# and after it: it changes where the function returns to.

TRACING=/sys/kernel/tracing
target=$(function_name "$(wanted_target)")

graph_on()
{
	echo "$target" > $TRACING/set_ftrace_filter &&
		echo function_graph > $TRACING/current_tracer
}

graph_off()
{
	echo nop > $TRACING/current_tracer && echo > $TRACING/set_ftrace_filter
}

# both_see WHAT: under load the tracer sees calls, and newidle decides
both_see()
{
	echo > $TRACING/trace
	decides "$1"
	check "$1: the tracer sees calls" [ "$(grep -c "$target" $TRACING/trace)" -gt 10 ]
}

features_keep
check "the tracer starts" graph_on
check "newidle-load under it" newidle-load --timeout 120
both_see "the tracer came first"
check "unload under it" newidle-unload --timeout 120
check "nothing is left" gone
echo > $TRACING/trace
load
check "the tracer goes on" [ "$(grep -c "$target" $TRACING/trace)" -gt 10 ]
check "it stops" graph_off

check "newidle-load" newidle-load --timeout 120
check "the tracer starts" graph_on
both_see "newidle came first"
snapshot /tmp/before || not_ok "the kernel's books are quiet"
load
check "the kernel's books are quiet" snapshot /tmp/after
diag "$(compare /tmp/before /tmp/after)"
check "both books agree" compare /tmp/before /tmp/after
check "the tracer stops" graph_off
decides "without the tracer"
check "unload" newidle-unload --timeout 120
check "nothing is left" gone
check "the kernel's features are as before, byte for byte" as_before
