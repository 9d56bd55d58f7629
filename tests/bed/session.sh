#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# with: python3
# smp: 2,sockets=2
# clock: virtual
# timeout: 400
#
# A guest's script: the session at README's top, as it is printed there, trimmed.
#
#	tests/run guest 7.3 tests/bed/session.sh

export LC_ALL=C.UTF-8

# typed WORD...: as somebody would at a prompt; what is written into a pipe is lines
typed()
{
	echo "# $*"
	"$@" 2>&1 | cat
}

# As in the tests: else one attempt during which the host was busy keeps the kernel from
# asking for a while.
forget_costs &
forgetter=$!
# Three threads with a barrier, on two CPUs.
/usr/lib/newidle/newidle-barrier -t 3 -d 1000 > /dev/null &
busy=$!
typed newidle load
typed newidle watch -c 1 -n 2
typed newidle set policy=always
typed newidle watch -c 1 -n 2
typed newidle set policy=value
typed newidle watch -c 1 -n 2
typed newidle set policy=best
kill $busy $forgetter
typed newidle unload
check "unloaded" gone
