#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# smp: 4,sockets=2,cores=2
# clock: virtual
# kernels: 6.1 6.12 6.17 6.18
# suite: long
# timeout: 2400
#
# The kernel by itself, the same kernel under swap with policy stock, and our
# steps with the policy that the kernel has: a load makes the same of all three,
# as far as runs of one of them are the same.  Event by event: twin.sh.

# shellcheck source=tests/vm/guest/spread.sh
. /test/spread.sh

BLOCKS=5
DEBUG=/sys/kernel/debug/sched

# Domains begin anew, in the kernel's books and in ours.
rebuild()
{
	echo 0 > /sys/devices/system/cpu/cpu3/online
	echo 1 > /sys/devices/system/cpu/cpu3/online
}

# Lines "metric value": attempts and pulls of newly idle CPUs by depth, and the
# balances of other CPUs.
schedstat()
{
	awk '
	/^version/	{ v = $2 }
	/^domain/	{
		n = v >= 17 ? 11 : 8
		f = v >= 17 ? 4 : 3
		depth = substr($1, 7)
		for (i = 0; i < 3; i++) {
			g = f + i * n
			count[i, depth] += $g
			pulls[i, depth] += $g - $(g + 1) - $(g + 2)
		}
	}
	END {
		for (key in count) {
			split(key, k, SUBSEP)
			# Two groups are swapped in version 17.
			name = k[1] == 2 ? "newly-idle" : "periodic-" k[1]
			print name "/" k[2] "/attempts", count[key]
			if (k[1] == 2)
				print name "/" k[2] "/pulls", pulls[key]
		}
	}' /proc/schedstat
}

# Quartiles of numbers, one a line, as lines "NAME/25 value" and so on.
quartiles()
{
	sort -n | awk -v name="$1" '
	{ v[NR] = $1 }
	END {
		for (q = 25; q <= 75; q += 25)
			print name "/" q, v[int((NR - 1) * q / 100) + 1]
	}'
}

idle_times()
{
	sed -n 's/^ *\.avg_idle *: *//p' $DEBUG/debug
}

# block VARIANT: the figures of one run
block()
{
	rebuild
	waves 6 1 2000 2000 $((round * 2)) > /dev/null
	schedstat > /tmp/before
	: > /tmp/idle
	waves 6 5 2000 2000 $((round * 2 + 1)) > /tmp/rounds &
	for _ in 1 2 3 4 5 6 7 8; do
		sleep 0.5
		idle_times >> /tmp/idle
	done
	wait $!
	schedstat > /tmp/after
	began=$(cut -d ' ' -f 1 /proc/uptime)
	hackbench -g 2 -l 60 > /dev/null
	ended=$(cut -d ' ' -f 1 /proc/uptime)
	{
		awk 'NR == FNR { was[$1] = $2; next } { print $1, $2 - was[$1] }' \
			/tmp/before /tmp/after
		quartiles avg_idle < /tmp/idle
		cat $DEBUG/domains/cpu*/domain*/max_newidle_lb_cost | quartiles max_cost
		echo "waves/rounds $(cat /tmp/rounds)"
		echo "$began $ended" | awk '{ print "hackbench/seconds", $2 - $1 }'
	} | sed "s/^/$1 /" >> "$figures"
}

run()
{
	case $1 in
	native)
		block native
		return ;;
	stock)	set -- stock policy=stock ;;
	own)	set -- own "policy=$same" rate=0 ;;
	esac
	variant=$1
	shift
	newidle-load engine=swap "$@" > /dev/null 2>&1 && block "$variant" &&
		newidle-unload > /dev/null 2>&1
}

# faithful WHAT POLICY: the kernel as it is now does the same as POLICY
faithful()
{
	same=$2
	figures=/tmp/figures.$same
	round=0
	for variant in $(interleave $BLOCKS native stock own); do
		round=$((round + 1))
		run "$variant" || not_ok "$1: block $round, $variant"
	done
	for variant in stock own; do
		# What never happened under either can't differ.
		awk 'NR == FNR { sum[$2] += $3; next } sum[$2] > 0' \
			"$figures" "$figures" > /tmp/figures
		spread /tmp/figures native $variant > /tmp/said
		is "$?" 0 "$1: $variant differs from the kernel no more than the kernel from itself"
		diag "$(cat /tmp/said)"
	done
}

if [ "$(native)" != none ]; then
	faithful "with dice" random
	echo NO_NI_RANDOM > "$FEATURES"
fi
faithful "without dice" always
