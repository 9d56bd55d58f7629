# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034
#
# What the cases know of newidle: its files, and how to compare its books with
# the kernel's.  Sourced after lib.sh.

SYS=/sys/kernel/newidle
FEATURES=/sys/kernel/debug/sched/features
DOMAINS=/sys/kernel/debug/newidle/domains

# Whether this kernel has a function of that name; modules don't count.
has_function()
{
	grep -q "^[0-9a-f]* [tT] $1\$" /proc/kallsyms
}

# The function that tries one domain, and the one that walks over the domains;
# the latter is inlined in many kernels, then there is no name.
balancer_name()
{
	has_function sched_balance_rq && echo sched_balance_rq || echo load_balance
}

newidle_name()
{
	for name in sched_balance_newidle newidle_balance; do
		if has_function $name; then
			echo $name
			return
		fi
	done
}

# What the kernel does by itself, in the words of the file native.
native()
{
	case $(tr ' ' '\n' < "$FEATURES" | sed 's/^NO_//' | grep '^NI_') in
	*NI_RATE*)	echo random+rate ;;
	*NI_RANDOM*)	echo random ;;
	*)		echo none ;;
	esac
}

# The engine that newidle is to have here: the one that the kernel's command
# line asks for, or the best.
wanted_engine()
{
	engine=$(asked_for newidle.engine)
	case $engine in
	swap | gate)	echo "$engine" ;;
	*)		[ "$(newidle_name)" ] && echo swap || echo gate ;;
	esac
}

# Where it asks the policy: "newidle" or "balancer", as the test modules call it.
wanted_target()
{
	[ "$(wanted_engine)" = gate ] && echo balancer || echo newidle
}

# function_name TARGET
function_name()
{
	"$1_name"
}

state_is()
{
	[ "$(cat "$SYS/state")" = "$1" ]
}

# The thread of nib_block.ko that holds transitions up: is it so (Y or N), make it
# so, let go.
BLOCK=/sys/module/nib_block/parameters

blocked()
{
	[ "$(cat "$BLOCK/blocked")" = "$1" ]
}

hold_up()
{
	echo 1 > "$BLOCK/hold"
	wait_for 10 blocked Y
}

let_go()
{
	echo 0 > "$BLOCK/hold"
	wait_for 10 blocked N
}

# features_keep; ...; as_before: the scheduler's features, byte for byte
features_keep()
{
	cat "$FEATURES" > /tmp/features
}

as_before()
{
	cmp "$FEATURES" /tmp/features
}

# knob NAME VALUE: write it, quietly; the status is the write's.
knob()
{
	echo "$2" 2>/dev/null > "$SYS/$1"
}

# choice NAME: the bracketed one of a knob with choices.
choice()
{
	sed 's/.*\[\(.*\)\].*/\1/' "$SYS/$1"
}

stats()
{
	cat "$SYS/stats/$1"
}

# Lines "cpu depth attempts pulls" from /proc/schedstat on standard input.
# The third group of a domain line is "newly idle": 8 numbers a group, and 11
# since version 17, which also has the domain's name before its span.
kernel_books()
{
	awk '
	/^version/	{ v = $2 }
	/^cpu/		{ cpu = substr($1, 4) }
	/^domain/	{
		n = v >= 17 ? 11 : 8
		g = (v >= 17 ? 4 : 3) + 2 * n
		print cpu, substr($1, 7), $g, $g - $(g + 1) - $(g + 2)
	}'
}

# keep FILE COPY: by the shell's own means, as each program that is waited for
# leaves a CPU newly idle.
keep()
{
	while IFS= read -r line; do
		printf '%s\n' "$line"
	done < "$1" > "$2"
}

# moment COMMAND...: run it at a moment at which the kernel counted nothing, nor
# newidle, as the kernel does not see skips; /tmp/moment has the kernel's books of
# it.  Until then it may be run several times.  If it doesn't get quiet by itself
# (kernels with PREEMPT_RT have many threads that wake up), each CPU is kept busy
# meanwhile.  Fails if that is of no use either.
moment()
{
	for _ in $(seq 15); do
		! is_quiet "$@" || return 0
		sleep 0.2
	done
	quietly "$@" || quietly "$@" || quietly "$@"
}

# quietly COMMAND...: the same, once, with each CPU kept busy
quietly()
{
	spin
	sleep 0.5
	is_quiet "$@"
	set -- $?
	# shellcheck disable=SC2086
	kill $spinners
	return "$1"
}

is_quiet()
{
	keep /proc/schedstat /tmp/k1
	keep_calls /tmp/c1
	"$@"
	keep_calls /tmp/c2
	keep /proc/schedstat /tmp/k2
	kernel_books < /tmp/k1 > /tmp/b1
	kernel_books < /tmp/k2 > /tmp/moment
	cmp -s /tmp/b1 /tmp/moment && cmp -s /tmp/c1 /tmp/c2
}

keep_calls()
{
	if [ -e "$SYS/stats/calls" ]; then
		keep "$SYS/stats/calls" "$1"
	else
		: > "$1"
	fi
}

# A CPU with a task to run never goes newly idle.
spin()
{
	spinners=
	# shellcheck disable=SC2013
	for cpu in $(sed -n 's/^cpu\([0-9]*\) .*/\1/p' /proc/stat); do
		taskset -c "$cpu" sh -c 'while :; do :; done' &
		spinners="$spinners $!"
	done
}

# snapshot FILE: newidle's lines of a quiet moment, followed by the kernel's: "N
# cpu depth calls attempts skips pulls cost name retries retry_pulls" and "K cpu
# depth attempts pulls".
snapshot()
{
	moment keep "$DOMAINS" /tmp/n || return 1
	awk '!/^#/ { print "N", $1, $2, $6, $7, $8, $9, $10, $4, $14, $15 }' /tmp/n > "$1"
	awk '{ print "K", $0 }' /tmp/moment >> "$1"
}

COUNTERS="attempts pulls skips retries retry_pulls calls cost_ns"

# stats/ and debugfs, for a quiet moment: by built-in commands alone.
read_books()
{
	for name in $COUNTERS; do
		keep "$SYS/stats/$name" "/tmp/stats-$name"
	done
	keep "$DOMAINS" /tmp/n
}

# stats_read: what read_books() found in stats/, in the order of COUNTERS
stats_read()
{
	for name in $COUNTERS; do
		cat "/tmp/stats-$name"
	done | tr '\n' ' '
}

# columns_read NAME...: sums of columns that it found in debugfs, "-" if unknown
columns_read()
{
	awk -v names="$*" '
	BEGIN	{ n = split(names, name) }
	/^#/	{ for (i = 2; i <= NF; i++) col[$i] = i - 1; next }
	{
		for (i = 1; i <= n; i++) {
			value = $col[name[i]]
			if (value == "-") unknown[i] = 1
			sum[i] += value
		}
	}
	END	{ for (i = 1; i <= n; i++) printf "%s ", i in unknown ? "-" : sum[i] }
	' /tmp/n
}

# same_sums WHAT: at a quiet moment the sums of debugfs are those of stats/
same_sums()
{
	moment read_books || not_ok "$1: a quiet moment"
	# shellcheck disable=SC2086
	is "$(stats_read)" "$(columns_read $COUNTERS)" "$1"
}

# compare BEFORE AFTER: do both books agree on what happened in between?
# Prints each line that doesn't, and a summary; fails on any, and on a load
# that made no attempt at all.  Unknown decisions ("-") are left out.
compare()
{
	awk '
	FNR == 1	{ file++ }
	$1 == "N"	{
		key = $2 " " $3
		s = file == 1 ? -1 : 1
		if ($4 == "-") unknown = 1
		calls[key] += s * $4; tries[key] += s * $5
		skips[key] += s * $6; pulls[key] += s * ($7 + $11)
		again[key] += s * $10
		known[key] = 1
	}
	$1 == "K"	{
		key = $2 " " $3
		s = file == 1 ? -1 : 1
		ktries[key] += s * $4; kpulls[key] += s * $5
	}
	END {
		for (key in ktries) {
			if (tries[key] + again[key] != ktries[key] || pulls[key] + 0 != kpulls[key]) {
				bad++
				printf "cpu and depth %s: attempts %d and retries %d, the kernel %d; pulls %d, the kernel %d\n",
					key, tries[key], again[key], ktries[key], pulls[key], kpulls[key]
			}
			if (!unknown && calls[key] != tries[key] + skips[key]) {
				bad++
				printf "cpu and depth %s: %d decisions, but %d attempts and %d skips\n",
					key, calls[key], tries[key], skips[key]
			}
			r += again[key]; t += tries[key]; c += calls[key]; s_ += skips[key]; p += pulls[key]
		}
		printf "decisions %s attempts %d skips %s retries %d pulls %d, %d lines differ\n",
			unknown ? "-" : c, t, unknown ? "-" : s_, r, p, bad
		exit bad || !t
	}' "$1" "$2"
}

# changed BEFORE AFTER COLUMN: total of a column of newidle's lines between two
# snapshots; 4 decisions, 5 attempts, 6 skips, 7 pulls, 10 retries, 11 their pulls.
changed()
{
	awk -v col="$3" '
	FNR == 1	{ file++ }
	$1 == "N"	{ sum += file == 1 ? -$col : $col }
	END		{ print sum + 0 }' "$1" "$2"
}

# books_agree WHAT [COMMAND...]: over that load (default load), whose status doesn't
# matter, both books say the same; /tmp/before and /tmp/after have them
books_agree()
{
	on_what=$1
	shift
	[ $# -gt 0 ] || set -- load
	check "$on_what: the kernel's books are quiet" snapshot /tmp/before
	"$@"
	check "$on_what: they are quiet again" snapshot /tmp/after
	difference=$(compare /tmp/before /tmp/after)
	is $? 0 "$on_what: both books agree on every CPU and level"
	diag "$difference"
}

# highest_cost NS: what the kernel takes an attempt to cost, in all domains.
highest_cost()
{
	for file in /sys/kernel/debug/sched/domains/cpu*/domain*/max_newidle_lb_cost; do
		echo "$1" > "$file"
	done
}

# The host takes CPUs away in the middle of attempts; what these then seem to cost
# would keep the kernel from asking anybody.  To be run beside a long load.
forget_costs()
{
	while sleep 0.05; do
		highest_cost 0
	done
}

# A load with many new-idle events, some of which find a task to pull.  One long
# attempt, when the host takes the CPU away, would make all domains too dear for
# minutes; that is forgotten.
load()
{
	highest_cost 0
	hackbench -g "${1:-2}" -l "${2:-100}" > /dev/null
}

# decides WHAT: under load newidle is asked more than now and then
decides()
{
	before=$(stats calls)
	check "$1: it decides" wait_for 60 has_decided
}

has_decided()
{
	load 2 100
	[ $(($(stats calls) - before)) -gt 10 ]
}

# modprobe_refused ERROR PATTERN WORD...: modprobe newidle with these words fails
# with that error, the log says why, and nothing is left
modprobe_refused()
{
	error=$1 pattern=$2
	shift 2
	log_mark
	answer=$(modprobe newidle "$@" 2>&1)
	check "modprobe newidle $* fails" [ $? -ne 0 ]
	check "modprobe newidle $*: $error" contains "$answer" "$error"
	check "modprobe newidle $*: the log says why" log_says "newidle: $pattern"
	check "modprobe newidle $*: nothing is left" gone
}

gone()
{
	[ ! -e "$SYS" ] && [ ! -e /sys/module/newidle ] &&
		[ ! -e /sys/kernel/livepatch/newidle ]
}

# refusal_is WORD... < TEXT: newidle-load with these words fails, and says this, but
# for the times of the kernel's lines
refusal_is()
{
	newidle-load "$@" > /tmp/words 2>&1
	is $? 1 "newidle-load $* fails"
	sed 's/^  \[ *[0-9.]*\] /  /' /tmp/words > /tmp/got
	cat > /tmp/golden
	if cmp -s /tmp/golden /tmp/got; then
		ok "newidle-load $*: it says what it should"
	else
		not_ok "newidle-load $*: it says what it should"
		diag "$(diff /tmp/golden /tmp/got)"
	fi
	check "newidle-load $*: nothing is left" gone
}
