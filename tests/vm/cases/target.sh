#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.1 7.3
# timeout: 500
#
# A function that must not be livepatched is refused for each of the reasons,
# shown on functions of this kernel to which they apply: a build for tests can
# be told to take them for the balancer, or for new-idle balance.

KO=/test/other-balancer/newidle.ko

# check_refused WHY FUNCTION PATTERN
check_refused()
{
	log_mark
	check "$1 ($2): refused" refused insmod $KO test_balancer="$2"
	check "$1: the log says so" log_says "newidle: $3"
	check "$1: nothing is left" gone
	check "$1: the kernel's features are as before, byte for byte" as_before
}

features_keep
# Functions of the kernel itself, not of modules.
awk 'NF == 3 && $2 ~ /[tT]/ { print $3 }' /proc/kallsyms > /tmp/functions
sort /tmp/functions | uniq -d > /tmp/twice
sort -u /sys/kernel/tracing/available_filter_functions > /tmp/traceable

twice=$(grep -xF -f /tmp/twice /tmp/traceable | grep -m 1 '^[a-z_]*$')
check_refused "stands twice" "$twice" "kernel symbol $twice is not unique"
check_refused "is missing" no_such_function \
	"no_such_function is no function of this kernel build"
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

# Engine swap looks at its own function in the same way, and does without.
check_no_swap()
{
	log_mark
	check "$1 ($2): no engine swap" refused insmod $KO engine=swap test_newidle="$2"
	check "$1: the log says why" \
		log_says "newidle: engine swap can't work on this kernel: $3"
	check "$1: nothing is left" gone
}
check_no_swap "stands twice" "$twice" "kernel symbol $twice is not unique"
check_no_swap "is missing" no_such_function \
	"no_such_function is no function of this kernel build: it was inlined or renamed"
check_no_swap "returns nothing" update_rq_clock \
	"update_rq_clock is void (struct rq \*) in this kernel, expected int (struct rq \*, struct rq_flags \*)"
check_no_swap "takes other arguments" wake_up_process \
	"wake_up_process is int (struct task_struct \*) in this kernel, expected int (struct rq \*, struct rq_flags \*)"

check "the shipped module has no such parameter" \
	refused sh -c 'modinfo -p newidle | grep -q "test_balancer\|test_newidle"'
check "the build for tests loads with the real function" insmod $KO
check "and becomes active" wait_for 60 grep -q active "$SYS/state"
check "modprobe -r newidle" modprobe -r newidle
check "nothing is left" gone
