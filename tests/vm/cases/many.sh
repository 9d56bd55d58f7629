#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# suite: long
# kernels: 6.12 7.3
# smp: 64,sockets=4,cores=8,threads=2
# cpu: max,vendor=GenuineIntel
# numa: 4
# memory: 4G
# with: python3 tmux
# timeout: 1500
#
# A machine of 64 CPUs with four levels: loaded, counted, looked at on a
# terminal of 80x24, unloaded.

export LC_ALL=C.UTF-8 TERM=linux SHELL=/bin/sh

check "newidle-load" newidle-load --timeout 300 policy=always
meets_all()
{
	load 2 10
	[ "$(awk '!/^#/ { print $1 }' "$DOMAINS" | sort -u | wc -l)" = 64 ]
}
check "all CPUs have met a domain" wait_for 300 meets_all
diag "$(awk '!/^#/ { n[$3 " " $4]++ } END { for (i in n) print n[i], i }' "$DOMAINS" | sort)"
is "$(awk '/^#/ { n = NF - 1; next } NF != n' "$DOMAINS")" "" "all lines are whole"
# No quiet moment is to be had here, so line by line.
is "$(awk '/^#/ { for (i = 2; i <= NF; i++) col[$i] = i - 1; next }
	$col["calls"] != $col["attempts"] + $col["skips"]' "$DOMAINS")" "" \
	"decisions are attempts and skips"

shows()
{
	tmux capture-pane -p -t screen > /tmp/screen
	grep -q "$1" /tmp/screen
}

# fits WHAT: what is on the screen now
fits()
{
	is "$(wc -l < /tmp/screen)" 24 "$1: 24 lines"
	is "$(awk 'length($0) > 80' /tmp/screen)" "" "$1: of at most 80 columns"
	diag "$(cat /tmp/screen)"
}

: > /tmp/loading
while [ -e /tmp/loading ]; do load 1 10; done &
loader=$!
tmux -f /dev/null new-session -d -x 80 -y 24 -s screen sh
tmux send-keys -t screen 'newidle watch -n 10; echo "status $?"' Enter
for level in SMT MC NUMA all; do
	check "watch shows $level" wait_for 120 shows "^$level  *[0-9.]* "
done
fits watch
tmux send-keys -t screen q
check "q quits" wait_for 60 shows 'status 0'
tmux send-keys -t screen 'clear; newidle status; echo "status $?"' Enter
check "status" wait_for 120 shows 'status 0'
check "its totals are in sight" grep -q '^  attempts  *[0-9]' /tmp/screen
fits status
tmux kill-server 2> /dev/null
rm /tmp/loading
wait $loader

check "unload" newidle-unload --timeout 300
check "nothing is left" gone
