#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 500
#
# A function that must not be livepatched is refused for each of the reasons,
# shown on functions of this kernel to which they apply.  A build for tests
KO=/test/other-balancer/newidle.ko

as_before()
{
	cmp "$FEATURES" /tmp/features
}

# check_refused WHY FUNCTION PATTERN
check_refused()
{
	log_mark
	check "$1 ($2): refused" refused insmod $KO test_balancer="$2"
	check "$1: the log says so" log_says "newidle: $3"
	check "$1: nothing is left" gone
	check "$1: the kernel's features are as before, byte for byte" as_before
}

cat "$FEATURES" > /tmp/features
# Functions of the kernel itself, not of modules.
awk 'NF == 3 && $2 ~ /[tT]/ { print $3 }' /proc/kallsyms > /tmp/functions
sort /tmp/functions | uniq -d > /tmp/twice
sort -u /sys/kernel/tracing/available_filter_functions > /tmp/traceable

twice=$(grep -xF -f /tmp/twice /tmp/traceable | grep -m 1 '^[a-z_]*$')
check_refused "stands twice" "$twice" "kernel symbol $twice is not unique"
check_refused "is missing" no_such_function \
	"neither sched_balance_rq nor load_balance is a function"
for function in entry_SYSCALL_64 clear_page_erms memcpy; do
	if grep -qx $function /tmp/functions && ! grep -qx $function /tmp/traceable &&
	   ! grep -qx $function /tmp/twice; then
		check_refused "can't be traced" $function \
			"$function can't be traced at its entry"
		break
	fi
done
check_refused "has another prototype" wake_up_process \
	"wake_up_process is int (struct task_struct \*) in this kernel, expected int (int, struct rq \*, struct sched_domain \*, enum cpu_idle_type, int \*)"

check "the shipped module has no such parameter" \
	refused sh -c 'modinfo -p newidle | grep -q test_balancer'
check "the build for tests loads with the real function" insmod $KO
check "and becomes active" wait_for 60 grep -q active "$SYS/state"
check "modprobe -r newidle" modprobe -r newidle
check "nothing is left" gone
