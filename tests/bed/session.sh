#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# with: python3
# timeout: 400
# append: no_timer_check
#
# A guest's script: the session at README's top, as it is printed there, trimmed.
#
#	tests/run guest 7.3 tests/bed/session.sh

export LC_ALL=C.UTF-8 COLUMNS=100

# type WORD...: as somebody would at a prompt
typed()
{
	echo "# $*"
	"$@" 2>&1
}

typed uname -r
typed newidle check
typed newidle load
while :; do hackbench -g 2 -l 300; done > /dev/null 2>&1 &
busy=$!
sleep 10
typed newidle status
typed newidle watch -c 2 -n 5
typed newidle set policy=always
typed newidle watch -c 2 -n 5
typed newidle set policy=value max_level=llc
typed newidle watch -c 2 -n 5
typed newidle status
typed newidle status --json
typed newidle set policy=best
kill $busy
typed newidle unload
typed newidle status
check "unloaded" gone
