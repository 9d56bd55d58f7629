#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# kernels: 6.12 7.3
# engines: all
# smp: 6,sockets=2,cores=3
# append: isolcpus=2 nohz_full=4,5 maxcpus=5
# timeout: 600
#
# CPUs that are set aside: one without domains, two without a tick, and one that
# comes only later.

CPUS=/sys/devices/system/cpu

# on CPU: newidle's lines of it
on()
{
	awk -v cpu="$1" '!/^#/ && $1 == cpu' "$DOMAINS"
}

# Decisions on a CPU.
decided_on()
{
	on "$1" | awk '{ sum += $6 } END { print sum + 0 }'
}

# A CPU that goes newly idle again and again, while others are busy.
naps_on()
{
	# shellcheck disable=SC2016
	taskset -c "$1" sh -c 'for _ in $(seq 30); do sleep 0.01; done'
}

on_all()
{
	load
	naps_on 2
	naps_on 4
}

is "$(cat $CPUS/isolated) $(cat $CPUS/nohz_full) $(cat $CPUS/online)" "2 4-5 0-4" \
	"CPUs are set aside"
features_keep
check "newidle-load" newidle-load --timeout 150
is "$(cat "$SYS/engine")" "$(wanted_engine)" "engine"
for policy in always random value; do
	knob policy $policy
	books_agree $policy on_all
done
is "$(on 2)" "" "nothing is decided on the isolated CPU"
is "$(on 5)" "" "nor on the one that is not there"
check "but on others" [ "$(on 1)" ]
check "without a tick there are decisions" [ "$(decided_on 4)" -gt 0 ]

check "the last CPU comes" sh -c "echo 1 > $CPUS/cpu5/online"
comes_in()
{
	load
	naps_on 5
	[ "$(decided_on 5)" -gt 0 ]
}
check "and decides" wait_for 60 comes_in
books_agree "with all CPUs" on_all
check "it goes" sh -c "echo 0 > $CPUS/cpu5/online"
books_agree "without it" on_all
same_sums "stats/ has the sums of debugfs"
check "unload" newidle-unload --timeout 150
check "nothing is left" gone
check "the kernel's features are as before, byte for byte" as_before
