#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.18
# engines: all
# kernels: 6.1 6.18 7.3
# smp: 8,sockets=2,cores=2,threads=2
# cpu: max,vendor=GenuineIntel
# with: trace-cmd
# timeout: 600
#
# Attempts, pulls, skips and retries of one and the same load: what stats/ in
# sysfs says, debugfs, the tracepoints and the kernel's own /proc/schedstat.

TRACE=/sys/kernel/tracing
EVENTS=$TRACE/events/newidle

# The first kernel of those tested that gives livepatches trace events is 6.12.
if [ "$(uname -r | cut -d . -f 1,2)" = 6.1 ]; then
	log_mark
	check "newidle-load" newidle-load
	check "the log says that there are no trace events" \
		log_says "newidle: this kernel gives livepatches no trace events"
	check "and there are none" refused ls $EVENTS
	decides "without trace events"
	check "unload" modprobe -r newidle
	return 0
fi

start()
{
	echo 0 > $TRACE/tracing_on
	echo > $TRACE/trace
	echo 1 > $TRACE/tracing_on
	read_books
}

stop()
{
	echo 0 > $TRACE/tracing_on
	read_books
}

# side NAME: what the books say, and the kernel's, to /tmp/NAME-...
side()
{
	stats_read | cut -d ' ' -f 1-5 > "/tmp/$1-sysfs"
	columns_read attempts pulls skips retries retry_pulls over_limit over_budget > "/tmp/$1-debugfs"
	awk '{ a += $3; p += $4 } END { print a + 0, p + 0 }' /tmp/moment > "/tmp/$1-schedstat"
}

# grown WHERE: by how much its numbers grew
grown()
{
	awk '
	FNR == NR	{ for (i = 1; i <= NF; i++) was[i] = $i; next }
	{ for (i = 1; i <= NF; i++) printf "%s%s", (i > 1 ? " " : ""), ($i == "-" ? "-" : $i - was[i]) }
	' "/tmp/before-$1" "/tmp/after-$1"
}

# In the same order, and then what came back; read from the recording.
traced()
{
	trace-cmd report -i /tmp/trace.dat 2> /dev/null | awk '
	/newidle_decide:/ && / decision=try /	{ a++ }
	/newidle_decide:/ && / decision=skip reason=policy /	{ s++ }
	/newidle_decide:/ && / decision=skip reason=limit /	{ l++ }
	/newidle_decide:/ && / decision=skip reason=budget /	{ b++ }
	/newidle_done:/ && / retry=0/	{ d++; p += / pulled=1 / }
	/newidle_done:/ && / retry=1/	{ r++; rp += / pulled=1 / }
	END	{ print a + 0, p + 0, s + 0, r + 0, rp + 0, l + 0, b + 0, d + 0 }'
}

# one_load: with the recording on; fails if the end was not a quiet moment, as
# the recording would have a gap then
one_load()
{
	moment start || return 1
	side before
	load 2 60
	quietly stop || return 1
	side after
}

# Words, of which "-" is unknown, are the numbers beside them.
same_but_unknown()
{
	echo "$1 $2" | awk '{
		for (i = 1; i <= NF / 2; i++)
			if ($i != "-" && $i != $(i + NF / 2))
				exit 1
	}'
}

# four WHAT: one load, counted four times
four()
{
	trace-cmd start -b 8000 -e newidle:newidle_decide -e newidle:newidle_done > /dev/null
	check "$1: quiet moments around a load" wait_for 120 one_load
	is "$(cat $TRACE/per_cpu/cpu*/stats | awk '/overrun|dropped/ { n += $NF } END { print n }')" \
		0 "$1: no event was lost"
	trace-cmd extract -o /tmp/trace.dat > /dev/null 2>&1
	trace-cmd reset > /dev/null 2>&1
	sysfs=$(grown sysfs) debugfs=$(grown debugfs) kernel=$(grown schedstat)
	traced=$(traced)
	diag "$1:    attempts pulls skips retries retry_pulls over_limit over_budget"
	diag "  sysfs        $sysfs"
	diag "  debugfs      $debugfs"
	diag "  tracepoints  ${traced% *}"
	diag "  schedstat    $kernel (attempts and retries, pulls of both)"
	is "${debugfs% * *}" "$sysfs" "$1: sysfs and debugfs agree"
	check "$1: the tracepoints agree" same_but_unknown "$debugfs" "${traced% *}"
	is "${traced##* }" "${traced%% *}" "$1: each attempt came back"
	is "$(echo "$traced" | awk '{ print $1 + $4, $2 + $5 }')" "$kernel" "$1: the kernel's own books agree"
	check "$1: there were some" [ "${traced%% *}" -gt 10 ]
}

check "newidle-load" newidle-load rate=0
four "random"
check "it skipped" [ "$(echo "$traced" | cut -d ' ' -f 3)" -gt 0 ]
knob policy bresenham
knob retry 1
knob retry_idle_pct 1
four "bresenham with retry"
knob max_level llc
four "max_level llc"
check "some were beyond it" [ "$(echo "$traced" | cut -d ' ' -f 6)" -gt 0 ]
knob max_level all
knob policy stock
four "stock"

# Off they are not heard, and nothing of it stays.
is "$(cat $EVENTS/enable)" 0 "the tracepoints are off"
check "unload" modprobe -r newidle
check "nothing is left" gone
check "no trace events either" refused ls $EVENTS
