#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 7.3
# kernels: 6.12 7.3
# smp: 8,sockets=2,cores=4
# memory: 2G
# with: python3 tmux
# timeout: 500
#
# The command newidle on a real kernel, and on a real terminal of 80x24.

export LC_ALL=C.UTF-8 TERM=linux SHELL=/bin/sh

# shellcheck source=tests/vm/guest/command.sh
. /test/command.sh

# Before anything is loaded.
run 0 check
diag "$(cat /tmp/said)"
says '✓'
says "engine.*probably $(wanted_engine)"
run 0 check --json
json "d['loadable'] and d['running']" "it would load"
run 1 status
says 'not loaded'
run 1 set policy=always
run 1 watch -c 1

run 0 load policy=random rate=0
is "$(cat "$SYS/state") $(choice policy)" "active random" "it is loaded"
load
run 0 status
diag "$(cat /tmp/said)"
says '^state  *active'
says "^engine  *$(wanted_engine)"
says 'as installed'
run 0 status --json
json "d['policy'] == 'random' and d['knobs']['rate'] == '0' and d['stale'] is False" \
	"it tells the knobs"
json "abs(d['totals']['attempts'] - $(stats attempts)) < 100" "and the totals"
json "0 <= d['loaded_for_s'] < 120" "and since when"

# All knobs or none.
run 0 set policy=bresenham rate=1 window=512
is "$(choice policy) $(cat "$SYS/rate") $(cat "$SYS/window")" "bresenham 1 512" "set"
run 1 set policy=value rate=0 window=1000
says 'window=1000 is refused'
says 'newidle: window: bad value .*must be a power of two'
is "$(choice policy) $(cat "$SYS/rate") $(cat "$SYS/window")" "bresenham 1 512" \
	"none is changed"
run 2 set nonsense=1
run 0 reset
check "the counters are small again" [ "$(stats attempts)" -lt 50 ]

# What it shows while a load runs: lines, and a screen.
knob policy always
: > /tmp/loading
while [ -e /tmp/loading ]; do load; done &
loader=$!
run 0 watch -n 2 -c 3 --json
check "each line is a JSON object with what happened" python3 -c "import json
rows = [json.loads(l) for l in open('/tmp/said')]
assert len(rows) == 3, rows
for r in rows:
    assert r['state'] == 'active' and r['policy'] == 'always', r
    assert any(l['attempts_per_s'] for l in r['levels']), r"
tmux -f /dev/null new-session -d -x 80 -y 24 -s screen 'newidle watch -n 2; echo "status $?"; exec cat' 2> /tmp/said
is "$?$(cat /tmp/said)" 0 "a terminal"
shows()
{
	tmux capture-pane -p -t screen > /tmp/screen
	grep -q "$1" /tmp/screen
}
check "the screen shows levels" wait_for 60 shows '^MC  *[0-9.]* '
diag "$(cat /tmp/screen)"
check "and what is in force" grep -q 'state active, policy always' /tmp/screen
is "$(wc -l < /tmp/screen)" 24 "24 lines"
is "$(awk 'length($0) > 80' /tmp/screen)" "" "of at most 80 columns"
tmux send-keys -t screen q
check "q quits" wait_for 30 shows 'status 0'
tmux kill-server 2> /dev/null
rm /tmp/loading
wait $loader

# Another module than the loaded one is installed.
installed=$(modinfo -F filename newidle)
mv "$installed" /tmp
cp /test/heavy-weight/newidle.ko "${installed%/*}"
depmod
run 0 status --no-sample
says 'stale'
rm "${installed%/*}/newidle.ko"
mv "/tmp/${installed##*/}" "$installed"
depmod

# Switched off by an admin: what to do.
echo 0 > /sys/kernel/livepatch/newidle/enabled
is_disabled()
{
	[ "$(cat "$SYS/state")" = disabled ]
}
check "switched off by hand" wait_for 60 is_disabled
run 0 status --no-sample
says '^state  *disabled'
says 'what to do  *.*newidle'
run 1 set policy=random
says 'being switched off'
run 0 unload
check "nothing is left" gone
