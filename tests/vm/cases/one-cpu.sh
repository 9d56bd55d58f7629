#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# kernels: 6.12 7.3
# engines: all
# smp: 1
# timeout: 300
#
# A machine with one CPU has no domains: nothing is decided, and nothing breaks.

features_keep
check "newidle-load" newidle-load
is "$(cat "$SYS/engine")" "$(wanted_engine)" "engine"
for setting in "policy always" "policy stock" "policy value" "retry 1" \
	"max_level smt" "policy random" "reset 1"; do
	# shellcheck disable=SC2086
	check "$setting" knob $setting
	hackbench -g 1 -l 50 > /dev/null
done
check "some load has run" grep -q '^cpu0' /proc/schedstat
is "$(grep -c '^domain' /proc/schedstat)" 0 "there are no domains"
is "$(stats calls) $(stats attempts)" "0 0" "nothing is decided"
# What other cases wait for doesn't come by itself.
# shellcheck disable=SC2034  # has_decided() reads it
before=0
check "a load makes no difference" refused has_decided
is "$(grep -vc '^#' "$DOMAINS")" 0 "nor listed"
is "$(cat "$SYS/state")" active "newidle is active"
check "unload" modprobe -r newidle
check "nothing is left" gone
check "the kernel's features are as before, byte for byte" as_before
