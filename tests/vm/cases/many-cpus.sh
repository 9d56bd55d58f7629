#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# suite: long
# smp: 64,sockets=2,cores=16,threads=2
# numa: 2
# memory: 4G
# timeout: 900
#
# 64 CPUs: load, count, unload.  The clock of so large a guest may be unstable; a
# CPU that has not called the scheduler's clock for long sees no time pass then.

features_keep
is "$(grep -c '^processor' /proc/cpuinfo)" 64 "CPUs"
diag "clock: $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
check "newidle-load" newidle-load --timeout 240 policy=always
diag "$(dmesg | grep 'newidle:')"
snapshot /tmp/before || not_ok "the kernel's books are quiet"
load 8 20
check "the kernel's books are quiet" snapshot /tmp/after
diag "$(compare /tmp/before /tmp/after)"
check "both books agree on every CPU and level" compare /tmp/before /tmp/after
same_sums "stats/ has the sums of debugfs"
diag "attempts without any cost: $(awk '!/^#/ && $7 && !$10' "$DOMAINS" | wc -l) of $(awk '!/^#/ && $7' "$DOMAINS" | wc -l) lines"
check "unload" newidle-unload --timeout 240
check "nothing is left" gone
check "the kernel's features are as before, byte for byte" as_before
