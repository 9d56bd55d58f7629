#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# engines: all
# smp: 4,sockets=2,cores=2
# memory: 2G
# clock: virtual
# timeout: 900
#
# All at once: loads, CPUs that go and come, partitions of CPUs made and removed,
# every knob written 100 times a second and policy as fast as it goes, all files
# read, and the module loaded and unloaded over and over.
#
# "make stress CYCLES=1000" asks for that many cycles by stress_cycles=1000 on the
# kernel's command line; else it goes on for 40 s, and at least 3 cycles.

SECONDS_ALL=40
CYCLES=$(asked_for stress_cycles)
CPUS=/sys/devices/system/cpu
GROUPS_DIR=/tmp/groups
ON=/tmp/on
# Kernels built here have no IP; with --sock-domain unix stress-ng fails on all.
SOCK="--sock 1"
[ -e /proc/net/tcp ] || SOCK="--sockpair 1"
# Where spinlocks keep a task on its CPU (rt), who sets an affinity while his own is being
# set makes 6.1 and 6.12 warn in affine_move_task(), without newidle too.
RACE="--race-sched 1"
case $(uname -r) in *-rt-*) RACE= ;; esac

# Tells how often something was done: a line for each.
done_once()
{
	echo >> "/tmp/count-$1"
}

count()
{
	wc -l < "/tmp/count-$1"
}

# The loads leave gaps: a transition waits until each CPU has been idle or left
# the kernel.  None of SCHED_DEADLINE: with such tasks a stock 6.12.118 divides by 0
# in set_cpus_allowed_dl() when CPUs and partitions go, without newidle too.
loads()
{
	while [ -e $ON ]; do
		# shellcheck disable=SC2086
		hackbench -g 2 -l 40 > /tmp/loads 2>&1 &&
			stress-ng -q $SOCK $RACE --cyclic 1 --cyclic-policy rr --fork 1 \
				--temp-path /tmp -t 2 > /tmp/loads 2>&1 &&
			done_once loads
		sleep 0.3
	done
}

# CPU 0 can't go.
hotplug()
{
	while [ -e $ON ]; do
		for cpu in 1 2 3; do
			! echo 0 2> /dev/null > $CPUS/cpu$cpu/online || done_once hotplug
			sleep 0.2
			! echo 1 2> /dev/null > $CPUS/cpu$cpu/online || done_once hotplug
			sleep 0.2
		done
	done
}

# partition CPUS KIND: domains are rebuilt when it comes and when it goes; with
# tasks in it, unless its CPUs have no domains at all.
partition()
{
	mkdir $GROUPS_DIR/part || return
	echo "$1" > $GROUPS_DIR/part/cpuset.cpus
	echo "$2" > $GROUPS_DIR/part/cpuset.cpus.partition
	if [ "$(cat $GROUPS_DIR/part/cpuset.cpus.partition)" = "$2" ]; then
		done_once partitions
		sh -c "echo \$\$ > $GROUPS_DIR/part/cgroup.procs
			exec hackbench -g 1 -l 10" > /dev/null 2>&1
		echo member > $GROUPS_DIR/part/cpuset.cpus.partition
		done_once partitions
	fi
	rmdir $GROUPS_DIR/part
}

partitions()
{
	while [ -e $ON ]; do
		for kind in root isolated; do
			for cpus in 1-2 2-3 3; do
				partition $cpus $kind
				sleep 0.2
			done
		done
	done
}

# A reader of a file uses the module for a moment, and there are many: then look
# again.
unload()
{
	for _ in $(seq 20); do
		newidle-unload --timeout 150 > /tmp/said 2>&1 && return
		[ $? -eq 3 ] || return
	done
}

goes_on()
{
	if [ "$CYCLES" ]; then
		[ $cycles -lt "$CYCLES" ]
	else
		[ "$(date +%s)" -lt $end ] || [ $cycles -lt 3 ]
	fi
}

cycle()
{
	newidle-load --timeout 150 > /tmp/said 2>&1 || return
	sleep 4
	[ "$(cat "$SYS/state")" = active ] || return
	unload && gone
}

field()
{
	sed -n "s/.*\<$1=\([0-9]*\).*/\1/p" /tmp/flipped
}

for what in loads hotplug partitions; do
	: > /tmp/count-$what
done
mkdir $GROUPS_DIR
mount -t cgroup2 none $GROUPS_DIR
check "CPU sets" sh -c "echo +cpuset > $GROUPS_DIR/cgroup.subtree_control"
features_keep

# A console with a line for each CPU and domain that is rebuilt would be most of
# the load; warnings go there still.
echo 5 > /proc/sys/kernel/printk
echo N > /sys/kernel/debug/sched/verbose
touch $ON
loads &
jobs=$!
hotplug &
jobs="$jobs $!"
partitions &
jobs="$jobs $!"
flip /tmp/stop 100 > /tmp/flipped &
flip=$!

began=$(date +%s)
end=$((began + SECONDS_ALL))
cycles=0
while goes_on && cycle; do
	cycles=$((cycles + 1))
	[ $((cycles % 20)) -ne 0 ] ||
		diag "$cycles cycles, $(count hotplug) hotplugs, $(count partitions) partitions"
done
seconds=$(($(date +%s) - began))
goes_on
check "every cycle ended well" [ $? -ne 0 ]
goes_on && diag "$(cat /tmp/said)"

# The last load stays, and must be as good as the first.
check "newidle-load" newidle-load --timeout 150
touch /tmp/stop
wait $flip
is $? 0 "every write was answered as documented, and every file read so"
rm $ON
# shellcheck disable=SC2086
wait $jobs
for cpu in 1 2 3; do
	[ "$(cat $CPUS/cpu$cpu/online)" = 1 ] || echo 1 > $CPUS/cpu$cpu/online
done

rebuilds=$(($(count hotplug) + $(count partitions)))
policy_hz=$(awk -v n="$(field policies)" -v ms="$(field policy_ms)" \
	'BEGIN { printf "%.1f", ms ? 1000 * n / ms : 0 }')
diag "$(cat /tmp/flipped)"
diag "in $seconds s: $cycles cycles, $rebuilds rebuilds of domains, $(count hotplug) of them hotplugs, $(field flips) flips, $(field policies) of policy ($policy_hz in a second), $(field pulls) pulls, $(count loads) loads"

check "cycles" [ $cycles -ge "${CYCLES:-3}" ]
check "rebuilds" [ $rebuilds -ge $seconds ]
check "hotplugs" [ "$(count hotplug)" -ge $((seconds / 2)) ]
check "partitions" [ "$(count partitions)" -ge $((seconds / 5)) ]
check "flips" [ "$(field flips)" -ge $((seconds * 10)) ]
check "flips of policy, at least 5 in a second" \
	[ "${policy_hz%.*}" -ge 5 ]
check "loads" [ "$(count loads)" -ge $((seconds / 30)) ]
diag "$(cat /tmp/loads)"
check "pulls" [ "$(field pulls)" -ge $((seconds / 2)) ]

# As if nothing had been.
echo 8 > /proc/sys/kernel/printk
echo Y > /sys/kernel/debug/sched/verbose
for setting in "policy always" "max_level all" "retry 0" "cost_bump 0" "reset 1"; do
	# shellcheck disable=SC2086
	knob $setting
done
books_agree "at the end"
same_sums "stats/ has the sums of debugfs"
# shellcheck disable=SC2046
set -- $(stats_read)
is "$6" $(($1 + $3)) "decisions are attempts and skips"
check "unload" modprobe -r newidle
check "nothing is left" gone
check "the kernel's features are as before, byte for byte" as_before
