#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How guests compare newidle's books with the kernel's (tests/vm/guest/newidle.sh):
# they are found equal when they are, and each of many differences is noticed.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/vm/guest/lib.sh
. "$here/../vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/newidle.sh
. "$here/../vm/guest/newidle.sh"

# Two CPUs with two domains: "N cpu depth calls attempts skips pulls cost name
# retries retry_pulls", "K cpu depth attempts pulls".
cat > "$tmp/before" <<'END'
N 0 0 100 60 40 5 9000 MC 7 2
N 0 1 50 50 0 1 8000 PKG 0 0
N 1 0 10 5 5 0 700 MC 0 0
N 1 1 20 2 18 2 100 PKG 0 0
K 0 0 1067 107
K 0 1 1050 101
K 1 0 1005 100
K 1 1 1002 102
END
cat > "$tmp/after" <<'END'
N 0 0 200 110 90 15 19000 MC 17 5
N 0 1 100 100 0 3 16000 PKG 0 0
N 1 0 10 5 5 0 700 MC 0 0
N 1 1 40 4 36 4 200 PKG 0 0
K 0 0 1127 120
K 0 1 1100 103
K 1 0 1005 100
K 1 1 1004 104
END

# changed_by SED: what happened, but for this
changed_by()
{
	sed "$1" "$tmp/after" > "$tmp/other"
	! cmp -s "$tmp/after" "$tmp/other" || not_ok "$1 changes nothing"
	compare "$tmp/before" "$tmp/other"
}

# numbered: the guests leave that to their judge
numbered()
{
	awk '/^(not )?ok / { sub(/ok - /, "ok " ++n " - ") } { print } END { print "1.." n }'
}

test_compare()
{
	check "equal books are found equal" compare "$tmp/before" "$tmp/after"
	is "$(compare "$tmp/before" "$tmp/after")" \
		"decisions 170 attempts 102 skips 68 retries 10 pulls 17, 0 lines differ" \
		"and counted"
	while IFS='|' read -r what change; do
		check "$what: noticed" refused changed_by "$change"
	done <<-'END'
		an attempt too many|s/^N 1 1 40 4 36/N 1 1 41 5 36/
		an attempt too few|s/^N 0 0 200 110/N 0 0 199 109/
		an attempt of the kernel's alone|s/^K 1 0 1005/K 1 0 1006/
		an attempt on the wrong CPU|s/^K 0 1 1100/K 0 1 1099/; s/^K 1 1 1004/K 1 1 1005/
		an attempt on the wrong level|s/^K 0 0 1127/K 0 0 1126/; s/^K 0 1 1100/K 0 1 1101/
		a pull too many|s/^\(N 1 1 .* \)4 200/\15 200/
		a pull too few|s/^\(N 0 0 .* \)15 19000/\114 19000/
		a pull of the kernel's alone|s/^K 1 0 1005 100/K 1 0 1005 101/
		a pull on the wrong CPU|s/ 120$/ 119/; s/^\(K 1 1 .*\) 104$/\1 105/
		a second look not counted|s/MC 17 5/MC 16 5/
		its pull not counted|s/MC 17 5/MC 17 4/
		a skip too many|s/ 36 4 200/ 37 4 200/
		a decision too many|s/^N 0 1 100/N 0 1 101/
		a CPU that newidle forgot|/^N 1 1/d
		a domain that newidle forgot|/^N 0 1/d
	END
	check "nothing that happened is nothing shown" \
		refused compare "$tmp/after" "$tmp/after"

	# Under stock nobody knows what the kernel's dice skipped.
	sed 's/^\(N [0-9] [0-9]\) [0-9]* \([0-9]*\) [0-9]*/\1 - \2 -/' "$tmp/after" > "$tmp/unknown"
	check "unknown decisions are left out" compare "$tmp/before" "$tmp/unknown"
	sed -i 's/^K 1 0 1005/K 1 0 1006/' "$tmp/unknown"
	check "but not the attempts" refused compare "$tmp/before" "$tmp/unknown"
	is "$(changed "$tmp/before" "$tmp/after" 5) $(changed "$tmp/before" "$tmp/after" 10)" \
		"102 10" "columns are summed"
}

# A line of schedstat: three groups of so many numbers, GROUP * 100 and on.
# schedstat VERSION NUMBERS [NAME]
schedstat()
{
	echo "version $1"
	echo "timestamp 4294900000"
	echo "cpu3 0 0 1 2 3 4 5 6 7"
	awk -v n="$2" -v name="${3:+$3 }" 'BEGIN {
		printf "domain1 %sff", name
		for (group = 1; group <= 3; group++)
			for (i = 0; i < n; i++)
				printf " %d", 1000 * group - 10 * i
		print " 0 0 0 0" }'
}

# Attempts, and those that neither found balance nor failed.
test_kernel_books()
{
	for version in 15 16; do
		is "$(schedstat $version 8 | kernel_books)" "3 1 3000 -2970" "version $version"
	done
	is "$(schedstat 17 11 MC | kernel_books)" "3 1 3000 -2970" "version 17"
}

# tried SED [SNAPSHOT-THAT-FAILS]: what books_agree says of books changed so
tried()
{
	sed "$1" "$tmp/after" > "$tmp/other"
	fails=${2:-}
	(
		loaded=no
		# shellcheck disable=SC2317  # books_agree calls these
		load() { loaded=yes; }
		# shellcheck disable=SC2317
		snapshot()
		{
			[ "$1" != "$fails" ] && [ "$1 $loaded" != "/tmp/after no" ]
		}
		# shellcheck disable=SC2317
		compare()
		{
			sh -c '. "$0/newidle.sh" && compare "$@"' "$here/../vm/guest" \
				"$tmp/before" "$tmp/other"
		}
		books_agree some
	) > "$tmp/said"
}

test_books_agree()
{
	tried ''
	is "$(grep -c '^ok' "$tmp/said") $(grep -c '^not ok' "$tmp/said")" "3 0" \
		"equal books, three checks"
	tried 's/^K 1 0 1005/K 1 0 1006/'
	check "a difference is a check that fails" grep -q '^not ok - some: both books' "$tmp/said"
	check "and is told" grep -q '^# cpu and depth 1 0: attempts 0 and retries 0, the kernel 1' "$tmp/said"
	for when in before after; do
		tried 's/MC 17 5/MC 17 4/' /tmp/$when
		is "$(grep -c '^not ok' "$tmp/said")" 2 "no quiet moment $when is one more"
	done
}

{
	test_compare
	test_kernel_books
	test_books_agree
} > "$tmp/out" 2>&1
numbered < "$tmp/out"
