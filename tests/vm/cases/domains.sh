#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 7.3
# kernels: 6.12 7.3
# engines: all
# smp: 8,sockets=2,cores=4
# timeout: 400
# shellcheck disable=SC2016
#
# debugfs newidle/domains: every line whole, right, and steady while CPUs go and
# come.

SCHED=/sys/kernel/debug/sched/domains

# column NAME [AWK-CONDITION]: values of a column, one a line, by the header
column()
{
	awk -v want="$1" '
	/^#/	{ for (i = 2; i <= NF; i++) col[$i] = i - 1; next }
	'"${2:-1}"'	{ print $col[want] }' "$DOMAINS"
}

sum()
{
	column "$1" | awk '{ n += $1 } END { print n + 0 }'
}

# All lines have the header's columns, numbers or "-" but for the name, and no
# CPU has a level twice.
is_whole()
{
	awk '
	/^#/	{ columns = NF - 1; next }
	{
		if (NF != columns || ($1, $3) in seen) { print; bad++ }
		seen[$1, $3]
		for (i = 1; i <= NF; i++)
			if (i != 4 && $i !~ /^([0-9]+|-)$/) { print; bad++ }
	}
	END	{ exit bad || !columns }' "$1"
}

# An attempt is counted when it begins and its time when it ends.
same_zeros()
{
	[ -z "$(column max_ns '($col["max_ns"] == 0) != ($col["attempts"] + $col["retries"] == 0)')" ]
}

over_total()
{
	column max_ns '$col["max_ns"] > $col["cost_ns"]'
}

# It changes with each longer attempt, and decays.
same_max()
{
	max=$(cat $SCHED/cpu3/domain1/max_newidle_lb_cost)
	[ "$(column kernel_max_ns '$1 == 3 && $2 == 1')" = "$max" ]
}

passes_over()
{
	load 2 100
	[ "$(sum over_limit)" -gt 0 ]
}

# Under load, until all are known.
meets_all()
{
	load 2 100
	[ "$(grep -c '^[0-9]' "$DOMAINS")" = 16 ]
}

check "newidle-load" newidle-load policy=random rate=0 retry=1
is "$(head -n 1 "$DOMAINS")" \
	"# cpu depth level name span calls attempts skips pulls cost_ns ratio win_calls win_success retries retry_pulls credit_ns try_ns over_budget over_limit max_ns mean_ns kernel_max_ns" \
	"the columns"
check "two lines for each CPU" wait_for 60 meets_all
cp "$DOMAINS" /tmp/lines
check "all lines are whole" is_whole /tmp/lines
diag "$(head -n 3 /tmp/lines)"
same_sums "their sums are those of stats/"
check "kernel_max_ns is the kernel's" wait_for 20 same_max
check "max_ns where there were attempts" wait_for 20 same_zeros
is "$(column mean_ns '$col["mean_ns"] > $col["max_ns"]')" "" "no mean is above the highest"
is "$(over_total)" "" "no highest cost is above the total"

# Beyond max_level, and what the cost budget ends.
is "$(sum over_limit)" 0 "nothing was beyond max_level"
knob max_level llc
check "beyond it domains are passed over" wait_for 60 passes_over
is "$(column over_limit '$2 == 0' | sort -u)" 0 "those within are not"
knob max_level all
knob reset 1
# So dear that it is never worth its time, until the costs have decayed.
highest_cost 2000000000
hackbench -g 2 -l 100 > /dev/null
if [ "$(cat "$SYS/engine")" = swap ]; then
	check "walks that end for their cost are counted" [ "$(sum over_budget)" -gt 0 ]
else
	is "$(column over_budget | sort -u)" - "walks that end for their cost are unknown"
fi
is "$(column kernel_max_ns '$2 == 0' | awk '$1 < 1000000000')" "" \
	"kernel_max_ns tells why"
load
knob reset 1
is "$(over_total)" "" "reset begins the highest cost anew"

# Steady while CPUs go and come, and domains with them.
: > /tmp/reading
while [ -e /tmp/reading ]; do
	cat "$DOMAINS" > /tmp/lines
	is_whole /tmp/lines >> /tmp/bad || echo bad >> /tmp/bad
	echo >> /tmp/reads
done &
reader=$!
for _ in $(seq 6); do
	for cpu in 1 4 7; do
		echo 0 > /sys/devices/system/cpu/cpu$cpu/online
	done
	load 2 20
	for cpu in 7 4 1; do
		echo 1 > /sys/devices/system/cpu/cpu$cpu/online
	done
done
rm /tmp/reading
wait $reader
diag "read $(wc -l < /tmp/reads) times meanwhile"
is "$(cat /tmp/bad)" "" "every reading was whole"
check "there were some" [ "$(wc -l < /tmp/reads)" -ge 20 ]
same_sums "its sums are those of stats/ as before"
check "unload" modprobe -r newidle
check "nothing is left" gone
