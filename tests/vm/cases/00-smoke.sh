#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The test bed itself: what the other cases take for granted about a guest.

TRACE=/sys/kernel/tracing

is "$(grep -c ^processor /proc/cpuinfo)" 8 "8 CPUs"
is "$(cat /sys/devices/system/cpu/cpu*/cache/index3/shared_cpu_list | sort | uniq -c | tr -s ' \n' ' ')" \
	" 4 0-3 4 4-7 " "in two last-level caches"

# Two levels of domains; the outer one was called DIE before 6.7.
version=$(sed -n 's/^version //p' /proc/schedstat)
case $(uname -r) in
6.1.*)	want=15 names="MC DIE" fields=38 ;;
6.12.*)	want=16 names="MC PKG" fields=38 ;;
*)	want=17 names="MC PKG" fields=48 ;;
esac
is "$(newidle_name)$(native)" "$(case $(uname -r) in
	6.1.* | 6.18.*)	echo sched_balance_newidlerandom ;;
	6.12.43+* | 6.17.*)	echo sched_balance_newidlenone ;;
	6.12.*)	echo sched_balance_newidlerandom ;;
	6.19.*)	echo random ;;
	*)	echo random+rate ;;
	esac)" "new-idle balance as a function, and the kernel's own policy"
is "$version" $want "format of /proc/schedstat"
is "$(awk '/^domain/ { print NF }' /proc/schedstat | sort -u)" $fields \
	"numbers on its domain lines"
is "$(grep -c ^domain /proc/schedstat)" 16 "two domains for each CPU"
is "$(cat /sys/kernel/debug/sched/domains/cpu0/domain*/name | tr '\n' ' ')" \
	"$names " "names of the domains"

is "$(readlink -f "$(command -v modprobe)")" /usr/bin/kmod "modprobe is kmod's"
is "$(readlink -f /bin/sh)" /usr/bin/dash "the shell is dash"
check "busybox has a shell too" busybox sh -c true
check "depmod's list knows newidle" modinfo -F version newidle
check "the scheduler's features can be read" grep -q TTWU_QUEUE "$FEATURES"

# Does kernel_books read the right column?  Count the balancer's calls with a
# probe: its fourth argument is 2 for a newly idle CPU on all these kernels.
balancer=$(balancer_name)
echo "p:balance $balancer idle=%cx:u32" > $TRACE/kprobe_events
echo 'hist:keys=common_cpu,idle:size=4096' > $TRACE/events/kprobes/balance/trigger

# The probe misses none when it is switched on and read while nobody is newly
# idle.  counts KERNEL PROBE: files of "cpu count"
counts()
{
	moment keep $TRACE/events/kprobes/balance/hist /tmp/hist ||
		not_ok "a quiet moment"
	awk '{ n[$1] += $3 } END { for (cpu in n) print cpu, n[cpu] }' \
		/tmp/moment > "$1"
	sed -n 's/.*common_cpu: *\([0-9]*\), idle: *2 .*hitcount: *\([0-9]*\).*/\1 \2/p' \
		/tmp/hist > "$2"
}
counts /tmp/kernel1 /tmp/probe1
check "hackbench runs" hackbench -g 2 -l 100
check "stress-ng runs" stress-ng --quiet --temp-path /tmp --sockpair 4 --timeout 3
counts /tmp/kernel2 /tmp/probe2

# growth BEFORE AFTER: per CPU
growth()
{
	awk '
	{ n[$1] += FILENAME == ARGV[2] ? $2 : -$2 }
	END { for (cpu = 0; cpu < 8; cpu++) printf "%d ", n[cpu] }' "$1" "$2"
}
by_probe=$(growth /tmp/probe1 /tmp/probe2)
by_kernel=$(growth /tmp/kernel1 /tmp/kernel2)
is "$by_kernel" "$by_probe" "schedstat's newly-idle counts are the calls of $balancer"
diag "newly-idle attempts per CPU: $by_kernel"
check "there were some" [ "$by_kernel" != "0 0 0 0 0 0 0 0 " ]
check "some of them pulled a task" \
	[ "$(kernel_books < /proc/schedstat | awk '{ n += $4 } END { print n }')" -gt 0 ]
check "the probe goes" sh -c "echo '!hist' > $TRACE/events/kprobes/balance/trigger
	echo > $TRACE/kprobe_events"
