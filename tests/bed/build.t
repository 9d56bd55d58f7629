#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dkms built the module for every kernel, from headers alone, without a
# warning; and the logs can be trusted: they are those of a real build.

number=0

result()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		sed 's/^/# /' "$3"
	fi
}

for file in /var/lib/newidle/kernels/*; do
	release=$(cat "$file")
	built=/var/lib/newidle/built/$release
	grep -q 'CC \[M\].*policy\.o' "$built/make.log"
	result $? "$release: dkms compiled the module" "$built/make.log"
	! grep -iE 'warning|error' "$built/make.log" > "/tmp/warnings"
	result $? "$release: without a warning" /tmp/warnings
	ls /lib/modules/"$release"/updates/dkms/newidle.ko* > /tmp/ko 2>&1
	result $? "$release: and installed it" /tmp/ko
	[ ! -s "$built/modules.log" ]
	result $? "$release: the test modules build without a warning" "$built/modules.log"
done
echo "1..$number"
