#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The fuzz test of the guests, on make-believe files (knob_files.c): it finds
# nothing in good ones, and each of many faults in others.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/style/tap.sh
. "$here/../style/tap.sh"

build()
{
	gcc -O1 -g -Wall -Wextra -Werror -c -o "$tmp/files.o" "$here/knob_files.c" &&
		gcc -O1 -g -Wall -Wextra -Dopen=files_open -Dread=files_read \
			-Dwrite=files_write -Dclose=files_close -include fcntl.h \
			-include unistd.h -c -o "$tmp/fuzz.o" "$here/../vm/load/fuzz.c" &&
		gcc -pthread -o "$tmp/fuzz" "$tmp/fuzz.o" "$tmp/files.o"
}

# fuzz WRITES
fuzz()
{
	timeout 100 "$tmp/fuzz" "$1" 1000 1 > "$tmp/said" 2>&1
}

# noticed ENGINE FAULT: and it says where
noticed()
{
	export ENGINE="$1" FAULT="$2"
	fuzz 20000
	status=$?
	[ $status -eq 1 ] && grep -q '^wrong: ' "$tmp/said"
	result $? "$1, $2: noticed (status $status)" "$tmp/said"
}

if ! build > "$tmp/said" 2>&1; then
	sed 's/^/# /' "$tmp/said"
	echo "Bail out! it does not build"
	exit 1
fi
for engine in swap gate; do
	export ENGINE="$engine"
	fuzz 50000
	result $? "$engine: nothing is wrong with good files" "$tmp/said"
	tail -n 1 "$tmp/said" | grep -q '^writes=50000 .*wrong=0$'
	result $? "$engine: so it says, and made all writes" "$tmp/said"
done

for fault in blanks more-newlines nul brackets prefix case sign wraps-at-64 wraps-at-32 \
	any-window too-small too-large zeros-stay nothing-is-bad error refuses-some short \
	two-brackets no-brackets no-newline unknown-state empty-version negative-count \
	all-writable; do
	noticed swap $fault
done
noticed gate gate-takes-it
plan
