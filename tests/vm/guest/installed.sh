# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
#
# What modprobe finds as newidle: something else for a while.  Sourced by cases.

installed=$(modinfo -n newidle)
in_place=${installed%.xz}

# The module as dkms made it, to be spoilt.
case $installed in
*.xz)	unxz -c "$installed" > /tmp/newidle.ko ;;
*)	cp "$installed" /tmp/newidle.ko ;;
esac
mv "$installed" /tmp/installed

# instead [FILE]: this is newidle, or there is none
instead()
{
	rm -f "$installed" "$in_place"
	[ $# -eq 0 ] || cp "$1" "$in_place"
	depmod
}

# The real one is in its place.
put_back()
{
	rm -f "$in_place"
	cp /tmp/installed "$installed"
	depmod
}

# spoil FILE AT: its byte there becomes another
spoil()
{
	byte=$(dd if="$1" bs=1 skip="$2" count=1 2> /dev/null | od -An -tu1)
	# shellcheck disable=SC2059
	printf "\\$(printf %o $(((byte + 1) % 256)))" |
		dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}

# at FILE TEXT: where the first string of the file begins that begins so
at()
{
	strings -t d "$1" | awk -v text="$2" 'index($2, text) == 1 { print $1; exit }'
}

# of_another_kernel FILE: its magic string tells of other options
of_another_kernel()
{
	cp /tmp/newidle.ko "$1"
	magic=$(modinfo -F vermagic "$1" | cut -d ' ' -f 1)
	spoil "$1" $(($(at "$1" "vermagic=$magic") + 10 + ${#magic}))
}

# of_another_build FILE SYMBOL: it was built for another version of this symbol,
# whose checksum stands in front of its name
of_another_build()
{
	cp /tmp/newidle.ko "$1"
	spoil "$1" $(($(at "$1" "$2") - 8))
}

# unsigned FILE: without what is behind the module, whose length is told there
unsigned()
{
	size=$(wc -c < /tmp/newidle.ko)
	length=$(tail -c 32 /tmp/newidle.ko | head -c 4 | od -An -tu1 |
		awk '{ print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4 }')
	head -c $((size - 40 - length)) /tmp/newidle.ko > "$1"
}
