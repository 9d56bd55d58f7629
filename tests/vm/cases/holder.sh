#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# smp: 2,sockets=2
# timeout: 500
#
# Somebody uses the module: modprobe -r names who, and changes nothing.

check "newidle-load" newidle-load

# A reader that keeps the file open.
tail -f "$DOMAINS" > /dev/null &
reader=$!
check "somebody has a file of ours open" wait_for 10 grep -q '^[2-9]' /sys/module/newidle/refcnt
words=$(modprobe -r newidle 2>&1)
status=$?
diag "$words"
check "modprobe -r newidle fails" [ $status -ne 0 ]
check "it names the reader" contains "$words" "tail (pid $reader) has $DOMAINS open"
is "$(cat "$SYS/state")" active "newidle is still active"
is "$(cat /sys/kernel/livepatch/newidle/enabled)" 1 "its livepatch is still enabled"
check "knobs can be written" knob policy always

kill $reader
wait $reader
check "with the reader gone modprobe -r works" modprobe -r newidle
check "nothing is left" gone
check "modprobe -r of a module that is not loaded is fine" modprobe -r newidle

# Disabled by hand: the module is idle, and goes.
check "newidle-load" newidle-load
echo 0 > /sys/kernel/livepatch/newidle/enabled
check "it becomes disabled" wait_for 60 grep -q disabled "$SYS/state"
check "knobs answer that it is too late" refused knob policy always
check "modprobe -r newidle" modprobe -r newidle
check "nothing is left" gone
