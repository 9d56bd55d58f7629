#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# engines: all
# timeout: 500
#
# newidle's books against the kernel's own, exactly, per CPU and level.

# while_load COMMAND...: over and over for as long as a load runs
while_load()
{
	load 2 200 &
	load=$!
	flips=0
	while kill -0 $load 2>/dev/null; do
		"$@"
	done
	wait $load
}

flip()
{
	knob "$1" "$2"
	flips=$((flips + 1))
}

knobs()
{
	for setting in "policy always" "window 64" "policy random" "rate 0" "retry 1" \
		"policy bresenham" "max_level llc" "window 1024" "rate_shift 30" \
		"policy value" "max_level all" "rate 1" "rate_shift 22" "retry 0"; do
		# shellcheck disable=SC2086
		flip $setting
	done
}

# stock hands the dice back.
policies()
{
	flip policy stock
	flip policy always
	flip policy random
}

check "newidle-load" newidle-load

knob policy always
books_agree always
is "$(changed /tmp/before /tmp/after 6)" 0 "always never skips"
check "always decided" [ "$(changed /tmp/before /tmp/after 4)" -gt 50 ]
check "attempts pulled tasks" [ "$(changed /tmp/before /tmp/after 7)" -gt 0 ]

for rate in 0 1; do
	knob rate $rate
	knob policy random
	books_agree "random, rate $rate"
	check "random, rate $rate skips" [ "$(changed /tmp/before /tmp/after 6)" -gt 0 ]
	check "random, rate $rate tries" [ "$(changed /tmp/before /tmp/after 5)" -gt 0 ]
done

for policy in bresenham value; do
	knob policy $policy
	books_agree "$policy"
	check "$policy tries" [ "$(changed /tmp/before /tmp/after 5)" -gt 0 ]
done

# As fast as the shell can.
books_agree "knob writes during the load" while_load knobs
check "enough of them ($flips)" [ "$flips" -ge 100 ]

# What the kernel's dice skip under stock can't be seen, the rest can.
books_agree "policy changes, stock among them, during the load" while_load policies
check "enough of them ($flips)" [ "$flips" -ge 10 ]
if [ "$(native)" = none ]; then
	check "decisions are known, as the kernel has no dice" [ "$(stats calls)" -gt 0 ]
else
	is "$(stats calls)$(stats skips)" "--" "after stock, decisions and skips are unknown"
	is "$(awk '!/^#/ { print $6 $8 }' "$DOMAINS" | sort -u)" "--" "in debugfs too"
	knob reset 1
	check "and known again after a reset" [ "$(stats skips)" != - ]

	knob policy stock
	knob reset 1
	is "$(stats calls)" - "a reset under stock does not make them known"
	knob policy always
fi
knob reset 1
load
same_sums "sysfs totals are the sums of debugfs"
check "a reset makes them small" knob reset 1
check "they are" [ "$(stats attempts)" -lt 50 ]

check "unload" modprobe -r newidle
