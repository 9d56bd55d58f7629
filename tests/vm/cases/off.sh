#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# kernels: 6.12 7.3
# smp: 2,sockets=2
# append: newidle.off=1
# with: python3
# timeout: 500
#
# newidle.off=1 on the kernel's command line keeps newidle out, whoever loads it.

why="off=1 keeps it out, nothing is changed: take newidle.off from the kernel command line, or off from /etc/modprobe.d, or for once: modprobe newidle off=0"

check_kept_out()
{
	modprobe_refused "Operation canceled" "$why" "$@"
}

features_keep
check_kept_out
check_kept_out policy=always
mkdir -p /etc/modprobe.d
echo "options newidle off=0" > /etc/modprobe.d/newidle-off.conf
check_kept_out
rm /etc/modprobe.d/newidle-off.conf

words=$(newidle-load 2>&1)
is $? 1 "newidle-load fails"
diag "$words"
check "it says why, and how to undo it" contains "$words" "newidle: $why"
check "nothing is left" gone
words=$(newidle check)
is $? 1 "newidle check sees an obstacle"
check "and says how to undo it" contains "$words" "off: off=1 keeps it out"
check "the kernel's features are as before, byte for byte" as_before

check "newidle-load off=0" newidle-load off=0
decides "off=0"
check "unload" modprobe -r newidle
modprobe_refused "Invalid argument" ".*invalid for parameter .off." off=2
