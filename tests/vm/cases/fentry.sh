#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# suite: long
# engines: all
# smp: 4,sockets=2,cores=2
# memory: 3G
# with: tracers
# timeout: 900
#
# BPF programs at the entry and the return of the function that newidle patches,
# attached before and after it.

target=$(function_name "$(wanted_target)")

# watch FUNCTION: count its entries and returns, until stopped
watch()
{
	bpftrace -e "fentry:$1 { @in = count(); } fexit:$1 { @out = count(); }" \
		> /tmp/seen 2>&1 &
	watcher=$!
}

# is_attached FUNCTION
is_attached()
{
	grep -q Attach /tmp/seen && is_hooked "$1"
}

# is_hooked FUNCTION
is_hooked()
{
	grep "^$1 " /sys/kernel/tracing/enabled_functions | grep -q ' D '
}

stop()
{
	kill -INT $watcher
	wait $watcher
	diag "$(cat /tmp/seen)"
}

# seen NAME
seen()
{
	sed -n "s/^@$1: \([0-9]*\)\$/\1/p" /tmp/seen
}

# both_saw WHAT: entries and returns
both_saw()
{
	check "$1: BPF saw calls" [ "$(seen in)" -gt 10 ]
	check "$1: and returns" [ "$(seen out)" -gt 10 ]
}

features_keep
# Of what nobody calls nothing is seen; and nobody is at our function yet.
watch cmdline_proc_show
check "BPF is attached elsewhere" wait_for 120 is_attached cmdline_proc_show
check "not to $target" refused is_hooked "$target"
load
stop
check "it saw nothing" [ "$(seen in)$(seen out)" -lt 1 ]

watch "$target"
check "BPF is attached" wait_for 120 is_attached "$target"
check "newidle-load under it" newidle-load --timeout 120
decides "BPF came first"
check "unload under it" newidle-unload --timeout 120
check "nothing is left" gone
stop
both_saw "BPF came first"

check "newidle-load" newidle-load --timeout 120
watch "$target"
check "BPF is attached" wait_for 120 is_attached "$target"
decides "newidle came first"
books_agree "newidle came first"
stop
both_saw "newidle came first"
decides "without BPF"
check "unload" newidle-unload --timeout 120
check "nothing is left" gone
check "the kernel's features are as before, byte for byte" as_before
