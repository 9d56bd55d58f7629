# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What the cases of the command newidle have in common: to run it, and to look at
# what it said.  Sourced by them.

# run STATUS ARGUMENT...: the command, with what it says in /tmp/said
run()
{
	wanted=$1
	shift
	newidle "$@" > /tmp/said 2>&1
	status=$?
	[ $status = "$wanted" ] || diag "$(cat /tmp/said)"
	is $status "$wanted" "newidle $*: exit status $wanted"
}

says()
{
	check "it says '$1'" grep -q -e "$1" /tmp/said
}

# json PYTHON-EXPRESSION WHAT: of what it said, as d
json()
{
	check "$2" python3 -c "import json
d = json.load(open('/tmp/said'))
assert $1, {k: v for k, v in d.items() if k != 'variants'}"
}
