#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.18 7.3
# engines: all
# smp: 8,sockets=2,cores=2,threads=2
# timeout: 500
#
# The second look: what it tries and pulls is in the kernel's books and in
# newidle's, where it belongs, on domains within the last-level cache alone.

# Retries of domains with such a name, since the load.
retries_of()
{
	awk -v name="$1" '
	FNR == 1	{ file++ }
	$1 == "N" && $9 ~ name	{ sum += file == 1 ? -$10 : $10 }
	END		{ print sum + 0 }' /tmp/before /tmp/after
}

# bresenham without rate skips as much as can be.
check "newidle-load" newidle-load policy=bresenham rate=0 retry_idle_pct=1
is "$(cat "$SYS/engine")" "$(wanted_engine)" "engine"
books_agree "retry off"
is "$(stats retries) $(stats retry_pulls)" "0 0" "retry off: none"

# A busy machine idles for so short a time that nothing may be left for it: wait
# for enough of them, not for one load.
enough()
{
	load
	[ "$(stats retries)" -ge 50 ] && [ "$(stats retry_pulls)" -ge 1 ]
}
looks_again()
{
	check "retry on: second looks are made, and pull" wait_for 60 enough
}
knob retry 1
books_agree "retry on" looks_again
same_sums "stats/ has the sums of debugfs"
check "on SMT and MC" [ "$(retries_of '^(SMT|MC)$')" -gt 0 ]
is "$(retries_of '^(PKG|DIE|NUMA|NODE)$')" 0 "not beyond the last-level cache"

for policy in random value always; do
	knob policy $policy
	books_agree "$policy with retry"
done
is "$(changed /tmp/before /tmp/after 10)" 0 "always leaves nothing to be tried again"

knob policy bresenham
knob retry 0
books_agree "retry off again"
is "$(changed /tmp/before /tmp/after 10)" 0 "retry off again: none"

knob policy stock
knob retry 1
books_agree stock
is "$(changed /tmp/before /tmp/after 10)" 0 "stock is the kernel's own"
check "unload" modprobe -r newidle
