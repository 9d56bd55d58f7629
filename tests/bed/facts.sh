# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154  # SYS: newidle.sh
# smp: 8,sockets=2,cores=4
# timeout: 240
#
# A guest's script: what newidle says of this kernel with the engine that the
# kernel's command line wants, as lines "fact NAME WORDS".

now()
{
	cut -d ' ' -f 1 /proc/uptime
}

# since BEFORE: seconds
since()
{
	now | awk -v before="$1" '{ printf "%.1f\n", $1 - before }'
}

# Of the log's lines the one that says it, without its time.
log_line()
{
	dmesg | sed 's/^\[[^]]*\] //' | grep "^newidle: $1" | tail -n 1
}

echo "fact release $(uname -r)"
began=$(now)
if newidle-load > /tmp/said 2>&1; then
	echo "fact load $(since "$began")"
	echo "fact engine $(cat "$SYS/engine")"
	line=$(log_line '.*engine ')
	echo "fact log $line"
	echo "fact native $(echo "$line" | sed -n "s/.*kernel's own policy \([^,]*\),.*/\1/p")"
	members=/sys/kernel/debug/newidle/members
	[ ! -e $members ] || sed 's/^/member /' $members
	began=$(now)
	if modprobe -r newidle > /tmp/said 2>&1 && gone; then
		echo "fact unload $(since "$began")"
	else
		echo "fact failed it can't be unloaded: $(tail -n 1 /tmp/said)"
	fi
elif [ -e /sys/module/newidle ]; then
	echo "fact failed it does not become active: $(tail -n 1 /tmp/said)"
else
	why=$(log_line '' | sed 's/^newidle: //')
	echo "fact refused ${why:-$(tail -n 1 /tmp/said)}"
fi
sed 's/^/said /' /tmp/said
