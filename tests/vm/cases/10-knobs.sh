#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# engines: all
# timeout: 500
#
# Every file of /sys/kernel/newidle: what it reads, takes and refuses; and the
# module parameters of the same names.

# good KNOB VALUE [READS]
good()
{
	knob "$1" "$2"
	is "$(cat "$SYS/$1")" "${3:-$2}" "$1 takes $2"
}

# bad KNOB VALUE RANGE: EINVAL, nothing changed, a log line that names all
# three.  VALUE is a printf format, so that it can hold any byte.
bad()
{
	before=$(cat "$SYS/$1" 2>/dev/null)
	log_mark
	# One write(2) of exactly these bytes, and the error in words.
	# shellcheck disable=SC2059
	error=$(printf -- "$2" | dd of="$SYS/$1" bs=4096 2>&1)
	check "$1 refuses '$2' with EINVAL" contains "$error" "Invalid argument"
	is "$(cat "$SYS/$1" 2>/dev/null)" "$before" "$1 is unchanged by '$2'"
	check "the log names $1, the value and the range" \
		log_says "newidle: $1: bad value .*must be .*$3"
}

check "newidle-load" newidle-load
is "$(cat "$SYS/state")" active "state"
is "$(cat "$SYS/engine")" "$(wanted_engine)" "engine"
policies="stock always random bresenham value"
levels="smt llc node all"

# bracketed CHOICE WORDS: as the files show them
bracketed()
{
	echo "$2" | sed "s/\<$1\>/[$1]/"
}

is "$(cat "$SYS/policy")" "$(bracketed random "$policies")" "default policy"
is "$(cat "$SYS/value_cost_pct")" 100 "default value_cost_pct"
is "$(cat "$SYS/retry")" 0 "default retry"
is "$(cat "$SYS/retry_idle_pct")" 50 "default retry_idle_pct"
is "$(cat "$SYS/max_level")" "$(bracketed all "$levels")" "default max_level"
is "$(cat "$SYS/rate")" 1 "default rate"
is "$(cat "$SYS/rate_shift")" 22 "default rate_shift"
is "$(cat "$SYS/window")" 1024 "default window"
is "$(cat "$SYS/native")" "$(native)" "native"
check "version is the module's version and source hash" \
	grep -q "^$(modinfo -F version newidle) $(modinfo -F srcversion newidle)\$" "$SYS/version"
is "$(cd "$SYS" && find . -type f | sort | tr '\n' ' ')" \
	"./cost_bump ./engine ./max_level ./native ./policy ./rate ./rate_shift ./reset ./retry ./retry_idle_pct ./state ./stats/attempts ./stats/calls ./stats/cost_ns ./stats/pulls ./stats/retries ./stats/retry_pulls ./stats/skips ./value_cost_pct ./version ./window " \
	"the files"
for file in engine native state version stats/calls stats/attempts stats/skips \
	stats/pulls stats/cost_ns stats/retries stats/retry_pulls; do
	is "$(stat -c %a "$SYS/$file")" 444 "$file is read only"
done
for file in policy value_cost_pct rate rate_shift window retry retry_idle_pct \
	max_level cost_bump; do
	is "$(stat -c %a "$SYS/$file")" 644 "$file is for root to write"
done
is "$(stat -c %a "$SYS/reset")" 200 "reset is write only"

for value in always stock bresenham value random; do
	good policy $value "$(bracketed $value "$policies")"
done
for value in smt llc node all; do
	good max_level $value "$(bracketed $value "$levels")"
done
for value in 1 10000 100; do good value_cost_pct $value; done
for value in 1 0; do good retry $value; done
for value in 1 100 50; do good retry_idle_pct $value; done
for value in 0 1; do good rate $value; done
for value in 16 17 23 34 22; do good rate_shift $value; done
for value in 64 128 65536 1024; do good window $value; done
check "reset takes 1" knob reset 1

for value in rand 'random x' RANDOM 2 ' random' '[random]' '\n' 'random\\0x'; do
	bad policy "$value" "one of stock always random bresenham value"
done
for value in 2 -1 y '' 0x1 +1 '1 1' 18446744073709551617; do
	[ "$value" ] || continue
	bad rate "$value" "0 ... 1"
done
for value in 15 35 -22 4294967318; do bad rate_shift "$value" "16 ... 34"; done
for value in 0 32 63 100 1023 131072; do
	bad window "$value" "a power of two, 64 ... 65536"
done
for value in 0 10001 -1; do bad value_cost_pct "$value" "1 ... 10000"; done
for value in 2 x; do bad retry "$value" "0 ... 1"; done
for value in 0 101; do bad retry_idle_pct "$value" "1 ... 100"; done
for value in numa 0; do bad max_level "$value" "one of smt llc node all"; done
bad cost_bump 2 "0 ... 1"
for value in 0 2 x; do bad reset "$value" "1 ... 1"; done

check "modprobe -r newidle" modprobe -r newidle
check "nothing is left" gone

check "newidle-load with parameters" \
	newidle-load policy=always rate=0 rate_shift=30 window=64 engine="$(wanted_engine)" \
	value_cost_pct=7 retry=1 retry_idle_pct=60 max_level=llc
is "$(choice policy) $(cat "$SYS/rate") $(cat "$SYS/rate_shift") $(cat "$SYS/window")" \
	"always 0 30 64" "the parameters are in force"
is "$(cat "$SYS/value_cost_pct") $(cat "$SYS/retry") $(cat "$SYS/retry_idle_pct") $(choice max_level)" \
	"7 1 60 llc" "the others too"
check "unload" modprobe -r newidle

modprobe_refused "Invalid argument" "policy: bad value .some.: must be one of stock always random bresenham value" \
	policy=some
modprobe_refused "Invalid argument" "rate: bad value .2.: must be 0 ... 1" \
	rate=2
modprobe_refused "Invalid argument" "rate_shift: bad value .99.: must be 16 ... 34" \
	rate_shift=99
modprobe_refused "Invalid argument" "window: bad value .1000.: must be a power of two, 64 ... 65536" \
	window=1000
modprobe_refused "Invalid argument" "engine: bad value .swop.: must be one of auto swap gate" \
	engine=swop
