# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# TAP for tests in shell that number their results themselves; guests have their own.

n=0

# result STATUS WHAT [FILE]: one test; the file explains a failure.
result()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		[ ! "${3:-}" ] || head -n 40 "$3" | sed 's/^/# /'
	fi
}

plan()
{
	echo "1..$n"
}
