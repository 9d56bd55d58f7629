#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The demonstration's inside: make demo runs it in a guest, after the guest
# library (tests/vm/guest).
#
# timeout: 500
#
# Runs two loads under two policies and shows, for each level of scheduling
# domains, what newidle decided beside what the kernel itself counted.

set -eu

say()
{
	printf '\n== %s\n' "$*"
}

# add_to_table LOAD POLICY: from the snapshots before and after
add_to_table()
{
	awk -v load="$1" -v policy="$2" '
	FNR == 1	{ sign = NR == 1 ? -1 : 1 }
	$1 == "N"	{
		key = $2 " " $3
		if (!($9 in seen)) { seen[$9] = 1; order[++n] = $9 }
		level[key] = $9
		calls[$9] += sign * $4; tries[$9] += sign * $5
		skips[$9] += sign * $6; pulls[$9] += sign * $7
		cost[$9] += sign * $8
	}
	$1 == "K"	{ key = $2 " " $3; ktries[key] += sign * $4; kpulls[key] += sign * $5 }
	END {
		for (key in level) {
			kt[level[key]] += ktries[key]
			kp[level[key]] += kpulls[key]
		}
		for (i = 1; i <= n; i++) {
			l = order[i]
			printf "%-10s %-7s %-5s %9d %9d %7d %6d %7.1f%% %9.1f | %9d %6d\n",
				load, policy, l, calls[l], tries[l], skips[l], pulls[l],
				tries[l] ? 100 * pulls[l] / tries[l] : 0,
				tries[l] ? cost[l] / tries[l] / 1000 : 0, kt[l], kp[l]
		}
	}' /tmp/before /tmp/after >> /tmp/table
}

run_load()
{
	case $1 in
	hackbench)
		hackbench -g 4 -l 300 > /dev/null ;;
	stress-ng)
		# It warns that the guest has a slow clock.
		stress-ng --quiet --temp-path /tmp --sock 8 --timeout 15 > /tmp/said 2>&1 ||
			{ cat /tmp/said; return 1; } ;;
	esac
}

say "Kernel $(uname -r), $(nproc) CPUs; loading newidle"
newidle-load
for file in engine native state policy rate rate_shift window; do
	printf '%-11s %s\n' "$file" "$(cat "$SYS/$file")"
done

for load in hackbench stress-ng; do
	for policy in always random; do
		say "$load under policy $policy"
		knob policy "$policy"
		snapshot /tmp/before
		run_load "$load"
		snapshot /tmp/after
		add_to_table "$load" "$policy"
	done
done

say "What newidle decided | what the kernel counted (/proc/schedstat, newly idle)"
printf '%-10s %-7s %-5s %9s %9s %7s %6s %8s %9s | %9s %6s\n' load policy level \
	decisions attempts skips pulls success "cost/us" attempts pulls
cat /tmp/table
echo "(Times under emulation mean nothing; the counts do.)"

say "Unloading"
modprobe -r newidle
gone
echo "newidle is gone; the kernel decides again"
