#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# smp: 4,sockets=2,cores=2
# timeout: 600
#
# Where newidle must not load: modprobe fails, the log says why, nothing is
# left; and when the cause is gone it loads.  And neighbours it can live with.

HITS=/sys/module/nib_hook/parameters/hits

# check_refused WHY PATTERN COMMAND...: fails, with such a line in the log
check_refused()
{
	why=$1
	pattern=$2
	shift 2
	log_mark
	check "$why: refused" refused "$@"
	check "$why: the log says so" log_says "$pattern"
	check "$why: nothing is left" gone
	check "$why: the kernel's features are as before, byte for byte" as_before
}

check_loads()
{
	check "$1: newidle-load" newidle-load
	decides "$1"
}

check_gone()
{
	check "$1: modprobe -r newidle" modprobe -r newidle
	check "$1: nothing is left" gone
	check "$1: the kernel's features are as before, byte for byte" as_before
}

features_keep
balancer=$(balancer_name)

# A symbol that is missing.  That can't be provoked otherwise.
check_refused "without $balancer" \
	"newidle: sched_balance_rq or load_balance is no function of this kernel build" \
	modprobe newidle test_absent="$balancer"
dice=$([ "$(native)" = none ] || echo sched_feat_keys)
for symbol in bpf_get_btf_vmlinux runqueues $dice ftrace_location; do
	check_refused "without $symbol" "newidle: kernel symbol $symbol is missing" \
		modprobe newidle test_absent="$symbol"
done

# Somebody who may redirect the function.
taken="is already livepatched or redirected by somebody else"
hooked="balancer$([ "$(wanted_engine)" = gate ] || echo " newidle")"
for on in $hooked; do
	name=$(function_name "$on")
	for how in ipmodify kprobe_post; do
		check "$how on $on" insmod /test/nib_hook.ko how=$how on="$on"
		check_refused "$how on $on" "newidle: $name $taken" modprobe newidle
		check "$how goes" rmmod nib_hook
	done
done
check_loads "after they have gone"
for on in $hooked; do
	check "then the kernel refuses those on $on" \
		refused insmod /test/nib_hook.ko how=ipmodify on="$on"
done

# Those who look on only may come before or after us.
for how in trace kprobe; do
	check "$how while newidle works" insmod /test/nib_hook.ko how=$how \
		on="$(wanted_target)"
	hits=$(cat "$HITS")
	before=$(stats calls)
	load
	check "$how sees calls" [ $(($(cat "$HITS") - hits)) -gt 10 ]
	check "newidle too" [ $(($(stats calls) - before)) -gt 10 ]
	check "modprobe -r newidle under $how" modprobe -r newidle
	check_loads "$how came first"
	check "$how goes" rmmod nib_hook
done

# ftrace, without which there is no livepatch.
check "the kernel does not let ftrace be switched off while newidle works" \
	refused sysctl -w kernel.ftrace_enabled=0
check_gone "before switching ftrace off"
if sysctl -w kernel.ftrace_enabled=0 > /dev/null 2>&1; then
	check_refused "without ftrace" "newidle: ftrace is switched off" modprobe newidle
	check "ftrace is switched on" sysctl -w kernel.ftrace_enabled=1
else
	# Newer kernels let nobody do that, and say so once.
	is "$(cat /proc/sys/kernel/ftrace_enabled)" 1 "ftrace stays on"
	check "this kernel's ftrace can't be switched off" sh -c \
		'dmesg | grep "ftrace_enabled file is deprecated and no longer disables ftrace"'
fi
check_loads "with ftrace"
check_gone "after that"

# A member without which nothing works.
check_refused "without rq.sd" "newidle: struct rq has no member sd in this kernel" \
	modprobe newidle test_absent=rq.sd

# A kernel without livepatching.
check_refused "built without livepatching" \
	"newidle: this kernel is built without CONFIG_LIVEPATCH" \
	insmod /test/no-livepatch/newidle.ko

# Another kernel's module.
# shellcheck source=tests/vm/guest/installed.sh
. /test/installed.sh
of_another_kernel /tmp/other.ko
diag "$(modinfo -F vermagic /tmp/other.ko)"
instead /tmp/other.ko
words=$(newidle-load 2>&1)
status=$?
diag "$words"
is "$status" 1 "another kernel's module: newidle-load fails"
check "another kernel's module: it says so" contains "$words" "built for another kernel"
check "another kernel's module: nothing is left" gone
put_back
check_loads "with this kernel's module"
check_gone "at last"
