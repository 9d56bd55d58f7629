#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 200
#
# The kernel's own dice: off while we decide, back exactly as they were found.

dice()
{
	grep -o 'NO_NI_RANDOM\|NI_RANDOM' "$FEATURES"
}

dice_are()
{
	[ "$(dice)" = "$1" ]
}

as_before()
{
	cmp -s "$FEATURES" /tmp/features
}

cat "$FEATURES" > /tmp/features
is "$(dice)" NI_RANDOM "this kernel has dice, and they are on"

check "newidle-load" newidle-load
is "$(dice)" NO_NI_RANDOM "off while random decides"
knob policy always
is "$(dice)" NO_NI_RANDOM "off while always decides"
knob policy stock
check "back under stock, byte for byte" as_before
knob policy random
is "$(dice)" NO_NI_RANDOM "off again"
check "unload" modprobe -r newidle
check "back after unloading, byte for byte" as_before

check "load with policy=stock" newidle-load policy=stock
check "untouched by stock" as_before
check "unload" modprobe -r newidle
check "untouched" as_before

log_mark
check "a load that fails" refused modprobe newidle window=3
check "changes nothing" as_before

# Somebody switches them on while we decide.
check "newidle-load" newidle-load
log_mark
echo NI_RANDOM > "$FEATURES"
check "noticed and off again within 5 s" wait_for 5 dice_are NO_NI_RANDOM
check "and logged" log_says "newidle: NI_RANDOM was switched on by somebody else"
check "unload" modprobe -r newidle
is "$(dice)" NI_RANDOM "their choice survives"

# Found off: stays off, unless somebody wants them on meanwhile.
echo NO_NI_RANDOM > "$FEATURES"
cat "$FEATURES" > /tmp/features
check "newidle-load with the dice off" newidle-load
knob policy stock
check "off under stock" as_before
knob policy random
check "unload" modprobe -r newidle
check "off after unloading, byte for byte" as_before
check "newidle-load with the dice off" newidle-load
echo NI_RANDOM > "$FEATURES"
check "noticed within 5 s" wait_for 5 dice_are NO_NI_RANDOM
check "unload" modprobe -r newidle
is "$(dice)" NI_RANDOM "on: the later choice survives"

# Other features are nobody's business of ours.
echo NO_TTWU_QUEUE > "$FEATURES"
cat "$FEATURES" > /tmp/features
check "newidle-load" newidle-load
echo TTWU_QUEUE > "$FEATURES"
check "unload" modprobe -r newidle
is "$(grep -o 'NO_TTWU_QUEUE\|TTWU_QUEUE' "$FEATURES")" TTWU_QUEUE \
	"another feature's change survives"
