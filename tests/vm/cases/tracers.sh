#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# suite: long
# kernels: 6.12 6.18 7.3
# smp: 4,sockets=2
# memory: 3G
# with: tracers
# timeout: 900
#
# The tracepoints with the tools that people have: one line of the README each.

export TERM=dumb
check "newidle-load" newidle-load

perf record -q -a -e 'newidle:*' -o /tmp/perf.data -- hackbench -g 2 -l 60 > /tmp/said 2>&1
is $? 0 "perf record"
diag "$(tail -n 3 /tmp/said)"
perf script -i /tmp/perf.data > /tmp/script 2> /tmp/said
is $? 0 "perf script"
diag "$(grep -m 2 newidle_decide /tmp/script)"
diag "$(grep -m 2 newidle_done /tmp/script)"
check "perf shows decisions" grep -q 'newidle:newidle_decide: cpu=[0-9]* depth=[0-9]* level=[A-Z]* decision=[a-z]* reason=policy' /tmp/script
check "perf shows what came of them" grep -q 'newidle:newidle_done: cpu=.* cost_ns=[0-9]* retry=0' /tmp/script

users=$(cat /sys/module/newidle/refcnt)
perf record -q -a -e 'newidle:*' -o /tmp/perf.data -- sleep 100 > /dev/null 2>&1 &
perf=$!
is_held()
{
	[ "$(cat /sys/module/newidle/refcnt)" -gt "$users" ]
}
check "a recording begins" wait_for 60 is_held
log_mark
answer=$(modprobe -r newidle 2>&1)
check "unloading under perf is refused" [ $? -ne 0 ]
diag "$answer"
check "and perf is named" contains "$answer" perf
is "$(cat "$SYS/state") $(cat /sys/kernel/livepatch/newidle/enabled)" "active 1" \
	"newidle works on, its livepatch too"
decides "under perf"
kill $perf
wait $perf

trace-cmd record -e newidle:newidle_done -o /tmp/trace.dat hackbench -g 2 -l 60 > /tmp/said 2>&1
is $? 0 "trace-cmd record"
trace-cmd report -i /tmp/trace.dat 2> /dev/null | grep -m 2 newidle_done > /tmp/script
diag "$(cat /tmp/script)"
check "trace-cmd shows them" grep -q 'pulled=[01] cost_ns=' /tmp/script

bpftrace -e 'tracepoint:newidle:newidle_done { @ns[args.level] = hist(args.cost_ns); }' \
	-c 'hackbench -g 2 -l 60' > /tmp/said 2>&1
is $? 0 "bpftrace"
diag "$(cat /tmp/said)"
check "bpftrace shows them" grep -q '^@ns\[' /tmp/said
check "unload" modprobe -r newidle
check "nothing is left" gone
