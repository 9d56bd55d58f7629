# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
#
# For scripts.t and dkms.t: a make-believe machine below $R, with the programs, files and
# tasks that newidle-load and newidle-unload look at.  Sourced, with $tmp set.

kernel_pid=

# turns FILE VALUE: at once, as in sysfs; never empty in between
turns()
{
	echo "$2" > "$R/new" && mv "$R/new" "$1"
}

# What the kernel does about the livepatch, by $R/mode: obeys; stuck-in and
# stuck-out do not finish a transition in that direction.
kernel()
{
	t=100
	read -r mode < "$R/mode"
	while [ ! -e "$R/off" ]; do
		t=$((t + 3))
		turns "$R/proc/uptime" "$t.00 0.00"
		enabled="" state=""
		read -r enabled < "$P/enabled"
		read -r state < "$K/state"
		case $enabled,$mode,$state in
		1,stuck-in*,*) ;;
		1,*,transition) turns "$K/state" "$(cat "$R/settles-as")" ;;
		0,stuck-*out,*) turns "$K/state" transition ;;
		0,*)
			rm -r "$P"
			turns "$M/refcnt" "$(cat "$R/refs-after")" ;;
		esac
		sleep 0.05
	done
}

stop_kernel()
{
	[ -n "$kernel_pid" ] || return 0
	: > "$R/off"
	wait "$kernel_pid"
	kernel_pid=
}

# A program of the system: logs its call, then does what stands on stdin.
fake()
{
	{
		echo '#!/bin/sh'
		echo "PATH=/usr/bin:/bin; R='$R'; M='$M'; K='$K'; P='$P'"
		echo "echo \"$1 \$*\" >> '$R/calls'"
		cat
	} > "$R/sbin/$1"
	chmod +x "$R/sbin/$1"
}

# task PID PATCH_STATE COMM
task()
{
	mkdir -p "$R/proc/$1/task/$1"
	echo "$2" > "$R/proc/$1/task/$1/patch_state"
	printf '%b\n' "$3" > "$R/proc/$1/task/$1/comm"
	printf 'Name:\t%b\nPPid:\t1\n' "$3" > "$R/proc/$1/status"
	printf '[<0>] sits_in_%s+0x1/0x2\n' "$1" > "$R/proc/$1/task/$1/stack"
}

# descriptor PID FD TARGET
descriptor()
{
	mkdir -p "$R/proc/$1/fd" "$R/proc/$1/fdinfo"
	ln -s "$3" "$R/proc/$1/fd/$2"
}

# machine MODE: one without newidle
machine()
{
	stop_kernel
	R=$tmp/root M=$tmp/root/sys/module/newidle
	K=$tmp/root/sys/kernel/newidle P=$tmp/root/sys/kernel/livepatch/newidle
	rm -rf "$R"
	mkdir -p "$R/sbin" "$R/sys/module" "$R/sys/kernel/livepatch" "$R/proc"
	echo "$1" > "$R/mode"
	echo active > "$R/settles-as"
	echo 0 > "$R/refs-after"
	echo "100.00 0.00" > "$R/proc/uptime"
	echo "debugfs $R/sys/kernel/debug debugfs rw 0 0" > "$R/proc/mounts"
	printf '[1.0] newidle: of an earlier attempt\n[2.0] last line\n' > "$R/log"
	: > "$R/calls"
	fake id <<-'EOF'
		echo 0
	EOF
	fake dmesg <<-'EOF'
		cat "$R/log"
	EOF
	fake modinfo <<-'EOF'
		printf 'policy:what (charp)\nrate:what (uint)\n'
	EOF
	fake modprobe <<-'EOF'
		mkdir -p "$M/holders" "$K" "$P"
		echo live > "$M/initstate"; echo 1 > "$M/refcnt"
		echo gate > "$K/engine"; echo 'stock always [random]' > "$K/policy"
		echo transition > "$K/state"; echo 0 > "$P/force"; echo 1 > "$P/enabled"
	EOF
	fake rmmod <<-'EOF'
		[ "$(cat "$M/refcnt")" = 0 ] || { echo "rmmod: in use"; exit 1; }
		rm -r "$M" "$K"
	EOF
	kernel 2> /dev/null &
	kernel_pid=$!
}

# loaded MODE: a machine on which it is active
loaded()
{
	machine "$1"
	"$R/sbin/modprobe"
	echo active > "$K/state"
	: > "$R/calls"
}

n=0

# ok WHAT COMMAND...
ok()
{
	n=$((n + 1))
	what=$1
	shift
	if "$@"; then
		echo "ok $n - $shell: $what"
	else
		echo "not ok $n - $shell: $what"
		echo "# failed: $*"
		echo "# status $status, said:"
		sed 's/^/#   /' "$tmp/said"
	fi
}

says()     { grep -q -e "$1" "$tmp/said"; }
is_silent_on() { ! grep -q -e "$1" "$tmp/said"; }
last_says() { tail -n 1 "$tmp/said" | grep -q -e "$1"; }
exits()    { [ "$status" = "$1" ]; }
called()   { grep -qx -e "$1" "$R/calls"; }
not_called() { ! grep -q -e "^$1" "$R/calls"; }
holds()    { [ "$(cat "$R/$1")" = "$2" ]; }
nothing_left() { [ ! -e "$M" ] && [ ! -e "$K" ] && [ ! -e "$P" ]; }
