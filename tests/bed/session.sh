#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# with: python3
# smp: 4,sockets=2
# clock: virtual
# timeout: 400
#
# A guest's script: the session at README's top, as it is printed there, trimmed.
#
#	tests/run guest 7.3 tests/bed/session.sh

export LC_ALL=C.UTF-8 COLUMNS=100

# typed WORD...: as somebody would at a prompt
typed()
{
	echo "# $*"
	"$@" 2>&1
}

typed newidle check
typed newidle load
typed newidle status
while :; do hackbench -g 2 -l 200; done > /dev/null 2>&1 &
busy=$!
sleep 2
typed newidle watch -c 1 -n 3
typed newidle set policy=always
typed newidle watch -c 1 -n 3
typed newidle set policy=value max_level=llc
typed newidle watch -c 1 -n 3
typed newidle status
typed newidle set policy=best
kill $busy
typed newidle unload
typed newidle status
check "unloaded" gone
