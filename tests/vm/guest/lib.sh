# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# TAP for guest scripts, and what they were asked for.  Numbers of tests are left to
# the reader of the lines.

ok()
{
	echo "ok - $1"
}

not_ok()
{
	echo "not ok - $1"
}

# Comment lines; may hold several.
diag()
{
	printf '%s\n' "$1" | sed 's/^/# /'
}

# is GOT WANTED WHAT
is()
{
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3"
		diag "got    '$1'"
		diag "wanted '$2'"
	fi
}

# check WHAT COMMAND...: the command and its words are shown if it fails.
check()
{
	what=$1
	shift
	if said=$("$@" 2>&1); then
		ok "$what"
	else
		not_ok "$what"
		diag "failed: $*"
		[ -z "$said" ] || diag "$said"
	fi
}

# refused COMMAND...: succeeds if the command fails.
refused()
{
	! "$@"
}

# contains TEXT PART
contains()
{
	case $1 in *"$2"*) ;; *) echo "$1"; return 1 ;; esac
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for()
{
	left=$(($1 * 5))
	shift
	until "$@"; do
		[ "$left" -gt 0 ] || return 1
		left=$((left - 1))
		sleep 0.2
	done
}

# log_says PATTERN: the kernel log has such a line since the last log_mark.
log_mark()
{
	log_lines=$(dmesg | wc -l)
}

log_says()
{
	dmesg | tail -n +$((log_lines + 1)) | grep -q "$1"
}

# asked_for NAME: what NAME= says on the kernel's command line, if not its first word
asked_for()
{
	sed -n "s/.* $1=\([^ ]*\).*/\1/p" /proc/cmdline
}
