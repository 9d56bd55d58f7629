#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 7.3
# shellcheck disable=SC2154
# smp: 2,sockets=2
# timeout: 1000
#
# The law test: with a load that goes newly idle r times a second and can never
# pull anything, each policy makes as many attempts as its formula says.
#
#   always         every entry
#   random         r * 2/1024 a second
#   bresenham      the same, and evenly: attempts are 512 decisions apart
#   with rate      a window is 512 decisions, which last 512/r s, and is worth
#                  a ratio of (512/r s) >> rate_shift: 119.2 attempts a second
#                  at shift 22 and half of that at 23, whatever r is

# Decisions after which nothing is left of a ratio of 1024, halved every 512.
FORGET=6144
# One whole window, wherever the one before began, and half of one.
SETTLE=1536

# cell PERIOD_US WARM_UP SECONDS ENTRIES: run the load; sets period_us, seconds,
# idle, attempts, gained, calls, tries, skips, won, restarts
cell()
{
	line=$(law "$@") || {
		not_ok "law $* ran"
		line="period_us=$1 seconds=1 idle=0 attempts=0 gained=0"
		line="$line calls=0 tries=0 skips=0 won=0 restarts=0"
	}
	diag "$line"
	eval "$line"
}

# The figures of the kernel and of newidle, which must be the same.
same_books()
{
	is "$tries $won" "$attempts $gained" \
		"$1: newidle's attempts and pulls are the kernel's"
	is "$calls" $((tries + skips)) "$1: decisions are attempts and skips"
}

# within WHAT LOW VALUE HIGH
within()
{
	if awk "BEGIN { exit !($2 <= $3 && $3 <= $4) }"; then
		ok "$1: $3 in [$2, $4]"
	else
		not_ok "$1: $3 in [$2, $4]"
	fi
}

calc()
{
	awk "BEGIN { printf \"%.1f\", $1 }"
}

# within_poisson WHAT COUNT EXPECTED: at most four standard deviations off
within_poisson()
{
	what="$1: $2 attempts, $3 expected"
	if awk "BEGIN { d = $2 - $3; exit !(d * d <= 16 * $3 && $3 > 30) }"; then
		ok "$what"
	else
		not_ok "$what"
	fi
}

# CPU 1 has one domain here.
ratio()
{
	awk '$1 == 1 { print $11 }' "$DOMAINS"
}

law_always()
{
	cell "$1" $FORGET 5 2000
	same_books "always, r = $(calc "$idle / $seconds")"
	is "$skips" 0 "always skips nothing"
	within "always: percent of idle entries attempted" 97 \
		"$(calc "100 * $attempts / $idle")" 100
}

law_random()
{
	cell 100 $FORGET 5 40960
	same_books "random, r = $(calc "$idle / $seconds")"
	is "$(ratio)" 0 "the ratio is 0"
	within "random: percent of idle entries decided" 97 \
		"$(calc "100 * $calls / $idle")" 100
	within_poisson "random" "$attempts" "$(calc "$calls * 2 / 1024")"
}

# CPU 1's decisions and attempts of as many moments as can be, while the file is
# there: "CALLS ATTEMPTS RATIO"
watch_attempts()
{
	while [ -e /tmp/watching ]; do
		awk '$1 == 1 { print $6, $7, $11 }' "$DOMAINS"
	done
}

# Evenly: there is one phase that fits all moments at ratio 0.
evenly()
{
	awk '
	$3 == 0	{
		low = 512 * $2 - $1
		if (!n++ || low > highest) highest = low
		if (n == 1 || low < lowest) lowest = low
		if (n == 1 || $2 < first) first = $2
		if ($2 > last) last = $2
	}
	END {
		printf "%d moments, %d attempts, phases from %d to %d fit\n",
			n, last - first, highest, lowest + 511
		exit !(n >= 50 && last - first >= 10 && highest <= lowest + 511)
	}' /tmp/moments
}

law_bresenham()
{
	for _ in 1 2 3; do
		: > /tmp/watching
		watch_attempts > /tmp/all-moments &
		cell 100 $FORGET 10 40960
		rm /tmp/watching
		wait
		[ "$restarts" != 0 ] || break
	done
	same_books "bresenham, r = $(calc "$idle / $seconds")"
	is "$(ratio)" 0 "the ratio is 0"
	within "bresenham: attempts, of $calls decisions" \
		"$(calc "int($calls / 512)")" "$attempts" "$(calc "int($calls / 512) + 1")"
	# From where it has come down to 0 for good.
	awk '{ line[NR] = $0; if ($3) last = NR }
	END { for (i = last + 1; i <= NR; i++) print line[i] }' \
		/tmp/all-moments > /tmp/moments
	said=$(evenly)
	is $? 0 "bresenham: $said"
}

# What a policy with dice makes of it.
law_random_uneven()
{
	: > /tmp/watching
	watch_attempts > /tmp/moments &
	cell 100 $FORGET 10 40960
	rm /tmp/watching
	wait
	said=$(evenly)
	is $? 1 "random is not even: $said"
}

# law_rate SHIFT PERIOD_US ATTEMPTS_A_SECOND
#
# The law is about a steady rate.  A host that takes the guest's CPU away in
# between makes it unsteady, so a cell has three tries; a policy that decides
# by another formula fails them all.
law_rate()
{
	knob rate_shift "$1"
	for _ in 1 2 3; do
		cell "$2" $SETTLE 10 2560
		what="rate, shift $1, r = $(calc "$idle / $seconds")"
		same_books "$what"
		rate=$(calc "$attempts / $seconds")
		diag "ratio $(ratio), $rate attempts a second"
		awk "BEGIN { d = $rate / $3; exit !(0.8 <= d && d <= 1.2) }" && break
	done
	within "$what: attempts a second" "$(calc "$3 * 0.8")" "$rate" \
		"$(calc "$3 * 1.2")"
}

# What this kernel does by itself follows the same law.
law_stock()
{
	case $(cat "$SYS/native") in
	random)
		cell 100 $FORGET 5 20480
		within_poisson "stock" "$attempts" "$(calc "$idle * 2 / 1024")" ;;
	random+rate)
		cell 600 $FORGET 10 2560
		within "stock, r = $(calc "$idle / $seconds"): attempts a second" \
			95.4 "$(calc "$attempts / $seconds")" 143.0 ;;
	none)
		cell 100 $FORGET 5 20480
		within "stock: percent of idle entries attempted" 97 \
			"$(calc "100 * $attempts / $idle")" 100 ;;
	esac
	is "$tries $won" "$attempts $gained" \
		"stock: newidle's attempts and pulls are the kernel's"
	[ "$(native)" = none ] ||
		is "$calls$skips" -- "stock: decisions are not known"
}

check "newidle-load" newidle-load policy=always rate=0
law_always 100
law_always 1500
knob policy random
law_random
law_random_uneven
knob policy bresenham
law_bresenham
knob policy random
knob rate 1
law_rate 22 600 119.2
law_rate 22 2000 119.2
law_rate 23 600 59.6
law_rate 23 2000 59.6
knob policy stock
law_stock
check "modprobe -r newidle" modprobe -r newidle
