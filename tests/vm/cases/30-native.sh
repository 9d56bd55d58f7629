#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.1 6.12 7.3
# engines: all
# smp: 2,sockets=2
# clock: virtual
# timeout: 500
#
# The kernel's own dice: off while engine gate decides, back exactly as they were
# found, and what the kernel has booked in the meantime forgotten.  Engine swap
# touches neither.

dice()
{
	grep -o 'NO_NI_RANDOM\|NI_RANDOM' "$FEATURES"
}

dice_are()
{
	[ "$(dice)" = "$1" ]
}

# The kernel books our attempts and skips; that sinks its ratio.  Given back, a
# domain starts as a new one does (calls 512, successes 256, ratio 512); idle
# entries since then are on top, of which a pull counts for 2 at that ratio, but
# less than a whole window.
sunk()
{
	awk '$1 == 1 { if ($5 < 100) good = 1 } END { exit !good }' /sys/kernel/debug/nib_sd
}

begun_anew()
{
	cat /sys/kernel/debug/nib_sd
	awk 'NR > 1 {
		lines++
		if ($3 < 512 || $3 > 1023 || $4 < 256 || $4 > 2 * $3 - 768 || $5 != 512)
			bad++
		if ($6 != "-" && ($6 < 0 || $6 > 20000))
			bad++
	}
	END { exit bad || !lines }' /sys/kernel/debug/nib_sd
}

# Each level's calls, successes and ratio; no pass of the kernel's own meanwhile.
books()
{
	sed 's/ [^ ]*$//' /sys/kernel/debug/nib_sd
}

dice_under_gate()
{
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
	features_keep
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
	features_keep
	check "newidle-load" newidle-load
	echo TTWU_QUEUE > "$FEATURES"
	check "unload" modprobe -r newidle
	is "$(grep -o 'NO_TTWU_QUEUE\|TTWU_QUEUE' "$FEATURES")" TTWU_QUEUE \
		"another feature's change survives"

	check "a module that shows the kernel's books" insmod /test/nib_sd.ko
	for policy in always random; do
		check "newidle-load" newidle-load policy=$policy rate=0
		check "a load whose attempts all fail" law 100 4096 1 1000
		check "$policy: the kernel's ratio sinks" sunk
		if [ $policy = always ]; then
			knob policy stock
			check "stock: the kernel's domains begin anew" begun_anew
		fi
		check "unload" modprobe -r newidle
		check "unloaded: the kernel's domains begin anew" begun_anew
	done
	check "that module goes" rmmod nib_sd
}

dice_under_swap()
{
	for policy in always random stock; do
		check "newidle-load policy=$policy" newidle-load policy=$policy
		check "$policy: the features are as before, byte for byte" as_before
		load
		check "unload" modprobe -r newidle
		check "unloaded: they still are" as_before
	done
	log_mark
	check "newidle-load" newidle-load
	for choice in NO_NI_RANDOM NI_RANDOM; do
		echo $choice 2> /dev/null > "$FEATURES" || continue
		sleep 3
		is "$(dice)" $choice "somebody's $choice stays while we decide"
	done
	features_keep
	check "nobody complains" refused log_says "newidle: NI_RANDOM"
	check "a module that shows the kernel's books" insmod /test/nib_sd.ko
	check "a load whose attempts all fail" law 100 4096 1 1000
	books > /tmp/books
	check "some domains are known" [ "$(wc -l < /tmp/books)" -gt 1 ]
	for policy in always random; do
		knob policy $policy
		check "$policy: such a load" law 100 4096 1 1000
		is "$(books)" "$(cat /tmp/books)" "$policy: the kernel's books are untouched"
	done
	check "that module goes" rmmod nib_sd
	check "unload" modprobe -r newidle
	check "the features are as they were left" as_before
}

features_keep
case $(native) in
none)	check "this kernel has no dice" [ ! "$(dice)" ] ;;
*)	is "$(dice)" NI_RANDOM "this kernel has dice, and they are on" ;;
esac
dice_under_"$(wanted_engine)"
