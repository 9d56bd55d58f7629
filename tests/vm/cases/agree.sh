#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# smp: 4,sockets=2,cores=2
# clock: virtual
# kernels: 6.1 6.12 6.18
# timeout: 1200
#
# Both engines make the same of the same load: as far apart as runs of one
# engine are from each other.  And a weight that counts double is noticed.
#
# That both decide the same on the same events, exactly, is tested in user
# space; next_balance, which hardly ever shows in a load, there and in twin.sh.

# shellcheck source=tests/vm/guest/spread.sh
. /test/spread.sh

BLOCKS=6
FIGURES=/tmp/figures

# Totals of a load with a policy, after some of it to settle.
# measure VARIANT POLICY SECONDS
measure()
{
	knob policy "$2"
	waves 6 2 2000 2000 $((block * 2)) > /dev/null
	snapshot /tmp/before || return
	waves 6 "$3" 2000 2000 $((block * 2 + 1)) > /dev/null
	snapshot /tmp/after || return
	awk -v variant="$1" -v policy="$2" '
	FNR == 1	{ file++ }
	$1 == "N"	{
		s = file == 1 ? -1 : 1
		name[$3] = $9
		calls[$3] += s * $4; tries[$3] += s * $5
		pulls[$3] += s * $7; cost[$3] += s * $8
	}
	END {
		for (d in name) {
			m = policy "/" name[d] "/"
			if (policy != "always")
				print variant, m "share", tries[d] / calls[d]
			print variant, m "success", pulls[d] / tries[d]
			print variant, m "cost", cost[d] / tries[d]
			print variant, m "decisions", calls[d]
			c += calls[d]; t += tries[d]; p += pulls[d]
		}
		# The share follows the success rate, whatever the load is like.
		if (policy != "always")
			print variant, policy "/share-by-success", t * t / (c * p)
	}' /tmp/before /tmp/after >> $FIGURES
}

# run VARIANT ENGINE [MODULE]: one block
run()
{
	if [ "$3" ]; then
		insmod "$3" engine="$2" rate=0 window=256
		wait_for 120 state_is active
	else
		newidle-load engine="$2" rate=0 window=256 > /dev/null 2>&1
	fi || return
	is_now=$(cat "$SYS/engine")
	# Under always the ratios become the success rates, where random begins.
	[ "$is_now" = "$2" ] && measure "$1" always 4 && measure "$1" random 10
	status=$?
	newidle-unload > /dev/null 2>&1 && return $status
}

block=0
for variant in $(interleave $BLOCKS gate swap); do
	block=$((block + 1))
	run "$variant" "$variant" || not_ok "block $block, $variant"
done
spread $FIGURES gate swap > /tmp/swap
is "$?" 0 "the engines differ no more than runs of one of them"
diag "$(cat /tmp/swap)"

for _ in 1 2 3 4; do
	block=$((block + 1))
	run heavy swap /test/heavy-weight/newidle.ko || not_ok "block $block, heavy"
done
spread $FIGURES gate heavy > /tmp/heavy
check "successes that count double are noticed" [ $? -ne 0 ]
diag "$(cat /tmp/heavy)"
check "in the share of attempts" grep -q 'share-by-success: .*OUTSIDE' /tmp/heavy
