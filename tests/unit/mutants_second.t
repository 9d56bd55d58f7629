#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The second look's conditions: without one of them its own test fails, and no
# other; see mutants.sh.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
tests=second
# shellcheck source=tests/unit/mutants.sh
. "$here/mutants.sh"

QUICK=-O0
export SANITIZE="" CFLAGS=-O1 MAKEFLAGS=-j2

# Names of the tests that fail.
failing() {
	rm -f "$work/out/second"
	build second || echo "does not build"
	CMOCKA_MESSAGE_OUTPUT=TAP "$work/out/second" 2>/dev/null |
		sed -n 's/^not ok [0-9]* - //p' | tr '\n' ' '
}

# without CONDITION TEST FILE SED-SCRIPT
without() {
	sed "$4" "$core/$3" >"$work/$3"
	if cmp -s "$core/$3" "$work/$3"; then
		result "not ok" "without $1: nothing in $3 matches"
		return
	fi
	failed=$(failing)
	case $failed in
	"$2 ") result ok "without $1: $2 fails, and no other" ;;
	*) result "not ok" "without $1: not $2 alone fails, but: $failed" ;;
	esac
	cp "$core/$3" "$work/$3"
}

cp "$core"/*.[ch] "$work"
failed=$(failing)
case $failed in
'') result ok "the module as it is passes" ;;
*) result "not ok" "the module as it is: $failed" ;;
esac

# A walk that its budget ends comes to no last domain; only swap has it in hand.
without "a stop by the budget" budget engine_swap.c \
	's/^\t\tif (exceeds_idle(p, sd))$/\t\tif (exceeds_idle(p, sd) \&\& (!newidle_looks_again(sd) || !look_again(p, per_cpu_ptr(newidle_cpus, p->cpu), sd)))/'
without "regard for max_level" beyond_limit retry.h 's/ \&\& newidle_domain_width(sd) <= limit//'
without "having looked" beyond_limit retry.c 's/c->pass.looked = true;//'
without "a pull" pulled engine_swap.c 's/if (retry \&\& !p->pulled \&\& /if (retry \&\& /'
without "a pull, in gate" pulled engine_gate.c 's/if (retry \&\& !pulled \&\& /if (retry \&\& /'
without "enough time left" time_left policy.c \
	's/^\t    (idle - spent) \* 100 < idle \* READ_ONCE(set->retry_idle_pct))/\t    0)/'
without "the last-level cache" within_llc retry.c 's/d->width <= NEWIDLE_LLC ? d : NULL/d/'
without "having tried it" not_tried retry.c \
	's/^\t    !(c->pass.skipped \& BIT(sd->level)) ||$//'
echo "1..$n"
