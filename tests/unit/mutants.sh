# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
#
# Can the unit tests fail?  Each line of a list breaks one thing in a copy of
# the module's sources; some test must notice.  A line that no longer changes
# anything, or that does not compile, fails too: then the source was rewritten,
# and the list has to follow.  Sourced, with $here and $tests set: the tests to
# run, in this order, until one fails.

core=$(cd "$here/../../module" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0

result() { # ok|"not ok" TEXT
	n=$((n + 1))
	echo "$1 $n - $2"
}

# Warnings are off for the module: what a mutant leaves unused is no news.
build() { # TEST
	make -s -C "$here" OUT="$work/out" MODULE_DIR="$work" \
		MODULE_CFLAGS="-w ${QUICK:-}" "$work/out/$1" </dev/null >"$work/log" 2>&1
}

# Runs the tests until one fails and names it; false if none does.
killed_by() {
	for t in $tests; do
		rm -f "$work/out/$t"
		if ! build "$t"; then
			echo "$t does not build"
			return 2
		fi
		if ! timeout 60 "$work/out/$t" </dev/null >"$work/log" 2>&1; then
			echo "$t"
			return 0
		fi
	done
	return 1
}

mutant() { # FILE WHAT SED-SCRIPT
	sed "$3" "$core/$1" >"$work/$1"
	if cmp -s "$core/$1" "$work/$1"; then
		result "not ok" "$2: nothing in $1 matches"
		return
	fi
	killer=$(killed_by)
	case $? in
	0) result ok "$2: noticed by $killer" ;;
	1) result "not ok" "$2: no test noticed" ;;
	*)
		result "not ok" "$2: $killer"
		sed 's/^/# /' "$work/log"
		;;
	esac
	cp "$core/$1" "$work/$1"
}

# A list of WHAT|SED-SCRIPT on standard input; a line "= FILE [TEST...]" says of
# what, and which tests are to run now.
mutants() {
	cp "$core"/*.[ch] "$work"
	killer=$(killed_by)
	case $? in
	1) result ok "the module as it is passes" ;;
	*)
		result "not ok" "the module as it is: $killer"
		sed 's/^/# /' "$work/log"
		;;
	esac
	while IFS='|' read -r what script; do
		case $what in
		'' | '#'*) ;;
		'= '*)
			# Names have no blanks.
			# shellcheck disable=SC2086
			set -- ${what#= }
			file=$1
			shift
			tests=${*:-$tests}
			;;
		*) mutant "$file" "$what" "$script" ;;
		esac
	done
	echo "1..$n"
}
