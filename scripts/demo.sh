#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The demonstration's inside: runs in a guest (make demo starts it) or on any
# machine where newidle is installed and may be loaded.  Needs root, hackbench
# and stress-ng.
#
# Runs two loads under two policies and shows, for each level of scheduling
# domains, what newidle decided beside what the kernel itself counted.

set -eu

SYS=/sys/kernel/newidle
DOMAINS=/sys/kernel/debug/newidle/domains
POLICIES=${POLICIES:-always random}
SECONDS_EACH=${SECONDS_EACH:-10}
GROUPS_OF_40=${GROUPS_OF_40:-4}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

say()
{
	printf '\n== %s\n' "$*"
}

# cpu depth attempts pulls, from the kernel's own books: the third of the
# groups of each domain line is "newly idle".  8 numbers a group, 11 since
# version 17, which also names the domain and puts the name before its span.
kernel_counts()
{
	awk '
	/^version/	{ v = $2 }
	/^cpu/		{ cpu = substr($1, 4) }
	/^domain/	{
		depth = substr($1, 7)
		n = v >= 17 ? 11 : 8
		g = (v >= 17 ? 4 : 3) + 2 * n
		balanced = $(g + 1); failed = $(g + 2)
		print cpu, depth, $g, $g - balanced - failed
	}' /proc/schedstat
}

# The kernel counts without end and newidle since its reset, so keep the start.
start_counting()
{
	echo 1 > "$SYS/reset"
	kernel_counts > "$tmp/before"
}

report()
{
	kernel_counts > "$tmp/after"
	cat "$DOMAINS" > "$tmp/domains"
	awk -v load="$1" -v policy="$2" '
	FILENAME == ARGV[1]	{ a[$1 " " $2] = $3; p[$1 " " $2] = $4; next }
	FILENAME == ARGV[2]	{ k = $1 " " $2; a[k] = $3 - a[k]; p[k] = $4 - p[k]; next }
	/^#/			{ next }
	{
		level = $4
		if (!(level in seen)) { seen[level] = 1; order[++n] = level }
		calls[level] += $6; tries[level] += $7; skips[level] += $8
		pulls[level] += $9; cost[level] += $10
		kt[level] += a[$1 " " $2]; kp[level] += p[$1 " " $2]
	}
	END {
		for (i = 1; i <= n; i++) {
			l = order[i]
			printf "%-10s %-7s %-5s %9d %9d %7d %6d %7.1f%% %9.1f | %9d %6d\n",
				load, policy, l, calls[l], tries[l], skips[l], pulls[l],
				tries[l] ? 100 * pulls[l] / tries[l] : 0,
				tries[l] ? cost[l] / tries[l] / 1000 : 0, kt[l], kp[l]
		}
	}' "$tmp/before" "$tmp/after" "$tmp/domains" >> "$tmp/table"
}

run_load()
{
	case $1 in
	hackbench)
		hackbench -g "$GROUPS_OF_40" -l 200 > /dev/null ;;
	stress-ng)
		stress-ng --quiet --temp-path "$tmp" --sock "$(nproc)" \
			--timeout "$SECONDS_EACH" ;;
	esac
}

[ -r "$DOMAINS" ] || mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null || :

say "Kernel $(uname -r), $(nproc) CPUs; loading newidle"
newidle-load
for file in engine native state policy rate rate_shift window; do
	printf '%-11s %s\n' "$file" "$(cat "$SYS/$file")"
done

# Counted by the kernel only while this is on.
echo 1 > /proc/sys/kernel/sched_schedstats

for load in hackbench stress-ng; do
	for policy in $POLICIES; do
		say "$load under policy $policy"
		echo "$policy" > "$SYS/policy"
		start_counting
		run_load "$load"
		report "$load" "$policy"
	done
done

say "What newidle decided | what the kernel counted (/proc/schedstat, newly idle)"
printf '%-10s %-7s %-5s %9s %9s %7s %6s %8s %9s | %9s %6s\n' load policy level \
	decisions attempts skips pulls success "cost/us" attempts pulls
cat "$tmp/table"
echo "(Times under emulation mean nothing; the counts do.)"

say "Unloading"
modprobe -r newidle
[ ! -e "$SYS" ] && echo "newidle is gone; the kernel decides again"
