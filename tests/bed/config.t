#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# An option that Kconfig did not take is named, as one that depends on another that
# is off, or that another selects, or of which there is none.

bed=${0%/*}
# shellcheck source=tests/style/tap.sh
. "$bed/../style/tap.sh"
folder=$(mktemp -d)

cat > "$folder/.config" <<-END
	# A comment
	CONFIG_SMP=y
	CONFIG_NR_CPUS=64
	CONFIG_LOCALVERSION="-debug"
	# CONFIG_LIVEPATCH is not set
END

# taken LINE...: all of these; not_taken LINE: not this one, and it is said so
taken()
{
	printf '%s\n' "$@" > "$folder/wanted"
	awk -f "$bed/config.awk" "$folder/.config" "$folder/wanted" > "$folder/said" 2>&1 &&
		[ ! -s "$folder/said" ]
	result $? "taken: $*" "$folder/said"
}

not_taken()
{
	printf '%s\n' CONFIG_SMP=y "$1" > "$folder/wanted"
	! awk -f "$bed/config.awk" "$folder/.config" "$folder/wanted" > "$folder/said" 2>&1 &&
		[ "$(wc -l < "$folder/said")" = 1 ] && grep -Fq "$1: " "$folder/said"
	result $? "not taken: $1" "$folder/said"
}

taken CONFIG_SMP=y CONFIG_NR_CPUS=64 'CONFIG_LOCALVERSION="-debug"' \
	'# CONFIG_LIVEPATCH is not set' '# CONFIG_OTHER is not set' '# a comment'
not_taken CONFIG_LIVEPATCH=y
not_taken CONFIG_KASAN=y
not_taken CONFIG_NR_CPUS=8
not_taken CONFIG_SMP=m
not_taken '# CONFIG_SMP is not set'

rm -r "$folder"
plan
