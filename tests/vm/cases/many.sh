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
for _ in 1 2 3; do load 8 40; done
is "$(awk '!/^#/ { print $1 }' "$DOMAINS" | sort -u | wc -l)" 64 \
	"all CPUs have met a domain"
diag "$(awk '!/^#/ { n[$3 " " $4]++ } END { for (i in n) print n[i], i }' "$DOMAINS" | sort)"
is "$(awk '/^#/ { n = NF - 1; next } NF != n' "$DOMAINS")" "" "all lines are whole"
same_sums "their sums are those of stats/"

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
while [ -e /tmp/loading ]; do load 4 40; done &
loader=$!
tmux -f /dev/null new-session -d -x 80 -y 24 -s screen sh
tmux send-keys -t screen 'newidle watch -n 5; echo "status $?"' Enter
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
