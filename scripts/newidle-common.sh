# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034
#
# What newidle-load and newidle-unload share; sourced by them.  Needs no more
# than busybox has.

PROG=${0##*/}
# For the scripts' own tests: a tree that stands for /.
ROOT=${NEWIDLE_ROOT-}
MODULE=$ROOT/sys/module/newidle
KNOBS=$ROOT/sys/kernel/newidle
PATCHES=$ROOT/sys/kernel/livepatch
PATCH=$PATCHES/newidle
PROC=$ROOT/proc

# How long the kernel may need to take a livepatch back, and to let go of the
# module after that.
UNDO_TIMEOUT=60
REFS_TIMEOUT=10

interrupted=
progress_shown=

say()
{
	end_progress
	printf '%s: %s\n' "$PROG" "$*" >&2
}

# fail STATUS TEXT...
fail()
{
	status=$1
	shift
	say "$*"
	exit "$status"
}

wrong_use()
{
	fail 2 "$*; see $PROG --help"
}

check_seconds()
{
	case $1 in
	'' | 0* | *[!0-9]* | ????????*) wrong_use "--timeout needs a number of seconds" ;;
	esac
}

# tool NAME ARGUMENT...: the program and not the applet of the same name that
# busybox's shell prefers: its modprobe reads fewer directories than kmod's.
tool()
{
	name=$1
	shift
	for dir in /usr/sbin /sbin /usr/bin /bin; do
		if [ -x "$ROOT$dir/$name" ]; then
			LC_ALL=C "$ROOT$dir/$name" "$@"
			return
		fi
	done
	if [ -n "$ROOT" ]; then
		echo "no $name in $ROOT"
		return 127
	fi
	LC_ALL=C "$name" "$@"
}

need_root()
{
	[ "$(tool id -u)" = 0 ] || fail 3 "only root may do this"
}

# value FILE: its first line, in $value; fails if there is none.  Of files in
# /proc/sys a shell that reads byte by byte gets the first byte alone, and no end.
value()
{
	value=
	{ read -r value < "$1"; } 2> /dev/null || [ -n "$value" ]
}

# put VALUE FILE
put()
{
	{ echo "$1" > "$2"; } 2> /dev/null
}

# Text that tasks chose themselves must not reach a terminal as it is.  (No
# [:print:]: busybox's tr does not know it.)
printable()
{
	tr -c ' -~\n\t' '?' >&2
}

catch_signals()
{
	trap 'interrupted=yes' INT TERM HUP PIPE
}

# From here on things are being put back, which must not stop half way.
ignore_signals()
{
	trap '' INT TERM HUP PIPE
	interrupted=
}

# Seconds since boot, in $now; unlike the date they never jump.
clock()
{
	read -r now _ < "$PROC/uptime"
	now=${now%%.*}
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds; fails when time
# is up, or on a signal.
wait_for()
{
	wait_limit=$1
	wait_what=$2
	shift 2
	clock
	wait_start=$now
	told=0
	until "$@"; do
		clock
		waited=$((now - wait_start))
		if [ -n "$interrupted" ] || [ "$waited" -ge "$wait_limit" ]; then
			end_progress
			return 1
		fi
		show_progress
		# Some small shells' sleep knows whole seconds only.
		sleep 0.2 2> /dev/null || sleep 1
	done
	end_progress
}

# One line that counts on a terminal; elsewhere a line every ten seconds.
show_progress()
{
	if [ -t 2 ]; then
		[ "$waited" -gt "$told" ] || return 0
		printf '\r%s: %s: %s s of at most %s' \
			"$PROG" "$wait_what" "$waited" "$wait_limit" >&2
		progress_shown=yes
	else
		[ "$waited" -ge $((told + 10)) ] || return 0
		say "$wait_what: $waited s of at most $wait_limit"
	fi
	told=$waited
}

end_progress()
{
	[ -z "$progress_shown" ] || echo >&2
	progress_shown=
}

# why_ended: how the last wait_for failed, in words.
why_ended()
{
	if [ -n "$interrupted" ]; then
		echo "interrupted after $waited s"
	else
		echo "not done after $waited s"
	fi
}

# stalled TARGET: the tasks that are not yet in this patch state, with their
# stacks.  -1 means that there is no transition.
stalled()
{
	n=0
	for task in "$PROC"/[0-9]*/task/[0-9]*; do
		value "$task/patch_state" || continue
		case $value in
		"$1" | -1) continue ;;
		esac
		n=$((n + 1))
		[ "$n" -le 20 ] || continue
		pid=${task%/task/*}
		value "$task/comm"
		echo "  $value (pid ${pid##*/}, thread ${task##*/})"
		sed 's/^/      /' "$task/stack" 2> /dev/null
	done
	if [ "$n" = 0 ]; then
		echo "  none in /proc: the idle task of some CPU, or it finished just now"
	elif [ "$n" -gt 20 ]; then
		echo "  ... and $((n - 20)) more"
	fi
}

# Is the livepatch off, or being switched off?  If not, try: the kernel says no
# while another livepatch is in transition.  $we_switched_off tells who did it.
switched_off()
{
	[ -d "$PATCH" ] || return 0
	value "$PATCH/enabled" || return 1
	[ "$value" != 0 ] || return 0
	put 0 "$PATCH/enabled" || return 1
	we_switched_off=yes
}

# The kernel removes the directory when no task runs our function any more.
is_off()
{
	[ ! -d "$PATCH" ]
}

# Names of other livepatches in transition, for messages.
others_in_transition()
{
	for dir in "$PATCHES"/*; do
		[ "$dir" != "$PATCH" ] && value "$dir/transition" &&
			[ "$value" = 1 ] && printf ' %s' "${dir##*/}"
	done
}

# References to the module that are not the livepatch's own, in $extra.
count_extra_refs()
{
	value "$MODULE/refcnt" || value=0
	extra=$value
	[ ! -d "$PATCH" ] || extra=$((extra - 1))
}

is_free()
{
	count_extra_refs
	[ "$extra" -le 0 ]
}

# holders N: who has these N references: open debugfs files surely, modules
# that use ours surely, and, if that does not explain all, processes with perf
# events or tracing BPF programs, of which nothing tells what they are attached to.
holders()
{
	sure=0
	for dir in "$MODULE"/holders/*; do
		[ -e "$dir" ] || continue
		echo "  module ${dir##*/} uses it"
		sure=$((sure + 1))
	done
	# With two names ls -l tells which directory it lists; one process for
	# all, as there may be 100000 files.  What this shell has inherited it
	# does not use, nor do its children; ls has ended when awk looks.
	# shellcheck disable=SC2012
	files=$(ls -l /dev/null "$PROC"/[0-9]*/fd 2> /dev/null)
	printf '%s\n' "$files" |
	awk -v proc="$PROC" -v self=$$ -v missing=$(($1 - sure)) '
	function name(pid,	file, line, of) {
		file = proc "/" pid "/status"
		while ((getline line < file) > 0)
			of[substr(line, 1, index(line, "\t"))] = \
				substr(line, index(line, "\t") + 1)
		close(file)
		if (!("Name:\t" in of) || pid == self || of["PPid:\t"] == self)
			return ""
		return of["Name:\t"] " (pid " pid ")"
	}
	# Only these program types (tracepoint, perf event, raw tracepoint, tracing
	# and the like) can be attached to a module; systemd has many others.
	function may_trace(file,	line, word, yes) {
		while ((getline line < file) > 0) {
			split(line, word)
			if (word[1] == "prog_type:" &&
			    word[2] ~ /^(2|5|7|17|24|26|27|28)$/)
				yes = 1
		}
		close(file)
		return yes
	}
	NR == FNR {
		if ($3 == "debugfs")
			mounts[$2 "/newidle/"]
		next
	}
	/^\/.*\/fd:$/ {
		pid = $0
		sub(/\/fd:$/, "", pid)
		sub(/.*\//, "", pid)
		who = name(pid)
		next
	}
	who && (at = index($0, " -> ")) {
		target = substr($0, at + 4)
		n = split(substr($0, 1, at - 1), word)
		fd = word[n]
		for (m in mounts) {
			if (index(target, m) == 1) {
				print "  " who " has " target " open"
				missing--
			}
		}
		kind = ""
		if (target ~ /^anon_inode:.*perf_event/)
			kind = "a perf event"
		else if (target ~ /^anon_inode:.*bpf[-_]link/)
			kind = "a BPF link"
		else if (target ~ /^anon_inode:.*bpf[-_]prog/ &&
			 may_trace(proc "/" pid "/fdinfo/" fd))
			kind = "a BPF program"
		if (kind && !((pid, kind) in seen)) {
			seen[pid, kind]
			suspects[++nr] = "  " who " may: it has " kind
		}
	}
	END {
		if (missing <= 0)
			exit
		for (i = 1; i <= nr; i++)
			print suspects[i]
		if (!nr)
			print "  no process that can be seen; perhaps a BPF program pinned in /sys/fs/bpf, or a trigger on an event"
	}' "$PROC/mounts" -
}

# The livepatch is off: wait for the last reference, then remove the module.
remove_module()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		if ! wait_for "$REFS_TIMEOUT" "waiting until nobody uses the module" is_free; then
			say "the livepatch is off, but the module stays, in use:"
			holders "$extra" | printable
			return 1
		fi
		said=$(tool rmmod newidle 2>&1) && return 0
		[ -d "$MODULE" ] || return 0
		# Has somebody come to read a file since we looked?
		case $said in *"in use"*) ;; *) break ;; esac
	done
	say "$said"
	return 1
}
