#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 7.3
# kernels: 6.12 7.3
# smp: 8,sockets=2,cores=4
# memory: 2G
# with: python3
# timeout: 900
#
# newidle record, replay and recommend on a real kernel's ring buffer, and a short
# newidle bench.

export LC_ALL=C.UTF-8
TRACE=/sys/kernel/tracing

# shellcheck source=tests/vm/guest/command.sh
. /test/command.sh

as_it_was()
{
	is "$(choice policy) $(cat "$SYS/rate") $(cat "$SYS/retry") $(choice max_level)" \
		"bresenham 0 1 llc" "$1: the knobs are as before"
	is "$(ls $TRACE/instances)" "" "$1: no tracing instance is left"
	is "$(cat /sys/module/newidle/refcnt)" "$users" "$1: nobody holds the module"
}

run 1 record -o /tmp/recording -t 1
says "not loaded"
run 0 load policy=bresenham rate=0 retry=1 max_level=llc
users=$(cat /sys/module/newidle/refcnt)

forget_costs &
forgetter=$!
run 0 reset
run 0 record -o /tmp/recording -- hackbench -g 2 -l 500
diag "$(cat /tmp/said)"
says "; 0 lost"
as_it_was "record"
attempts=$(stats attempts)
recorded=$(sed -n 's/.*: \([0-9]*\) attempts in .*/\1/p' /tmp/said)
# What is tried before tracing is on and after it is off is counted alone.
check "what was recorded is what was counted: $recorded of $attempts" \
	[ "$recorded" -le "$attempts" ] && [ "$recorded" -gt $((attempts / 2)) ]

run 0 replay --json /tmp/recording
json "d['head']['kernel'] == '$(uname -r)' and d['tail']['lost'] == '0'" "the file tells where it is from"
json "d['events'] == $recorded and d['cpus'] == 8" "it has all of them, of all CPUs"
json "{l['level'] for l in d['variants'][0]['levels']} == {'MC', 'PKG'}" "levels have their names"
json "d['variants'][0]['attempts'] == d['events'] and d['variants'][0]['cost_ns'] > 1000 * d['events']" \
	"attempts took time"
json "d['pulled_passes'] > 10 and d['guessed_passes'] < d['pulled_passes'] / 2" \
	"some pulled, and it is known for how long CPUs idle"
run 0 replay /tmp/recording
diag "$(cat /tmp/said)"
run 0 recommend /tmp/recording
diag "$(cat /tmp/said)"

# Ended by hand, by a signal, and by nobody who could clean up.
newidle record -o /tmp/other > /tmp/said 2>&1 &
recorder=$!
is_recording()
{
	grep -q 1 $TRACE/instances/newidle-record-*/tracing_on
}
check "it records" wait_for 60 is_recording
is "$(choice policy) $(cat "$SYS/retry") $(choice max_level)" "always 0 all" \
	"policy always meanwhile"
load
kill -TERM $recorder
wait $recorder
is $? 143 "a signal ends it"
as_it_was "a signal"

newidle record -o /tmp/other > /tmp/said 2>&1 &
recorder=$!
check "it records again" wait_for 60 is_recording
kill -KILL $recorder
wait $recorder
check "what a killed one leaves is in the way of nothing" [ "$(ls $TRACE/instances)" ]
run 0 record -o /tmp/other -t 1
is "$(ls $TRACE/instances)" "" "and is removed by the next one"
run 0 set policy=value retry=0 max_level=all
newidle recommend --json -- stress-ng --sock 4 --timeout 5s 2> /dev/null > /tmp/said
is $? 0 "recommend of a command"
json "d['base'].startswith('policy=value')" "a command is compared with what is set"
diag "$(cat /tmp/said)"

# A few runs; their figures are the host's.
run 0 bench barrier -s 1 -n 4 --no-warm-up -v stock -v policy=always,rate=0 -v 'mine:exec sleep 1000' -o /tmp/bench
diag "$(cat /tmp/said)"
is "$(choice policy) $(cat "$SYS/rate")" "value 0" "bench: the knobs are as before"
check "bench: its commands are gone" refused pgrep -f "sleep 1000"
cp /tmp/bench.json /tmp/said
json "d['whole'] and d['blocks'] == 2 and len(d['runs']) == 16 and all(r['figure'] > 0 for r in d['runs'])" \
	"bench: all runs have figures"
json "sum(r['levels']['MC']['attempts'] for r in d['runs'] if r['arm'] == 'policy=always,rate=0') > 10" \
	"bench: attempts are counted"
json "all(r['context_switches'] > 100 for r in d['runs'])" "bench: and context switches"
# shellcheck disable=SC2016
run 143 bench --cmd 'kill -TERM $PPID; sleep 100' -v policy=always
is "$(choice policy)" value "bench ended by a signal: the knobs are as before"
kill $forgetter
wait $forgetter
check "unload" modprobe -r newidle
check "nothing is left" gone
