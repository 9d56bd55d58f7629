#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# suite: long
# kernels: 6.1 7.3
# engines: all
# smp: 16,sockets=4,cores=2,threads=2
# cpu: max,vendor=GenuineIntel
# numa: 2
# timeout: 1500
#
# max_level on a machine with all kinds of domains: no attempt above it in the
# kernel's books, and what is above it stays as it was.  On the oldest and the
# newest kernel, whose domains have different names and flags.

# Lines "NAME ATTEMPTS" of what the kernel tried between two snapshots.
tried()
{
	awk '
	FNR == 1	{ file++ }
	$1 == "N"	{ name[$2 " " $3] = $9 }
	$1 == "K"	{ tries[$2 " " $3] += file == 1 ? -$4 : $4 }
	END {
		for (key in tries)
			sum[name[key]] += tries[key]
		for (n in sum)
			print n, sum[n]
	}' /tmp/before /tmp/after
}

# Attempts at domains of such names.
tried_at()
{
	tried | awk -v names="$1" '$1 ~ names { sum += $2 } END { print sum + 0 }'
}

# What the policy remembers of domains of such names.
remembered()
{
	awk -v names="$1" '!/^#/ && $4 ~ names { print $1, $3, $11, $12, $13 }' "$DOMAINS"
}

SMT='^SMT$' LLC='^(SMT|CLS|MC)$' NODE='^(SMT|CLS|MC|PKG|DIE)$' ALL=.
BEYOND_SMT='^(CLS|MC|PKG|DIE|NUMA|NODE)$' BEYOND_LLC='^(PKG|DIE|NUMA|NODE)$'
BEYOND_NODE='^(NUMA|NODE)$'

# limit LEVEL WITHIN BEYOND: names of domains
limit()
{
	log_mark
	knob max_level "$1"
	# What is under way is booked yet.
	sleep 1
	check "$1: the log has nothing to say" refused log_says "newidle: max_level"
	remembered "$3" > /tmp/was
	books_agree "$1" load 4 60
	diag "$(tried | tr '\n' ' ')"
	check "$1: tried up to there" [ "$(tried_at "$2")" -gt 0 ]
	is "$(tried_at "$3")" 0 "$1: nothing tried beyond"
	remembered "$3" > /tmp/is
	# A domain met for the first time has a line of its own from then on.
	is "$(grep -vxFf /tmp/is /tmp/was)" "" "$1: what is beyond is remembered as it was"
}

features_keep
check "newidle-load" newidle-load policy=always rate=0
load 4 60
is "$(awk '!/^#/ { print $4 }' "$DOMAINS" | sort -u | wc -l)" 4 "four kinds of domains"
diag "$(awk '!/^#/ && $1 == 0' "$DOMAINS")"

limit all $ALL '^none$'
check "all: NUMA is tried" [ "$(tried_at "$BEYOND_NODE")" -gt 0 ]
limit node "$NODE" "$BEYOND_NODE"
limit llc "$LLC" "$BEYOND_LLC"
limit smt "$SMT" "$BEYOND_SMT"
knob policy random
limit llc "$LLC" "$BEYOND_LLC"
limit all $ALL '^none$'
check "lifted: NUMA is tried again" [ "$(tried_at "$BEYOND_NODE")" -gt 0 ]

for policy in bresenham value; do
	knob policy $policy
	books_agree "$policy, everywhere" load 4 60
done

knob max_level smt
knob policy stock
snapshot /tmp/before
load 4 60
snapshot /tmp/after
check "stock knows no limit" [ "$(tried_at "$BEYOND_SMT")" -gt 0 ]
check "unload" modprobe -r newidle
check "nothing is left" gone
check "the kernel's features are as before, byte for byte" as_before
