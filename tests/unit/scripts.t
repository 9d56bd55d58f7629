#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# newidle-load and newidle-unload against a make-believe /sys and /proc, with a
# make-believe kernel behind them, whose clock runs fast.  Under dash, and under
# busybox's shell with nothing but busybox's applets.

repo=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
tmp=$(mktemp -d) || exit 1
. "$repo/tests/unit/machine.sh"
trap 'stop_kernel; rm -rf "$tmp"' EXIT

# run SCRIPT ARGUMENT...
run()
{
	start "$@"
	wait "$pid"
	status=$?
}

start()
{
	script=$1
	shift
	case $shell in
	busybox)
		PATH=/nonexistent NEWIDLE_ROOT=$R "$busybox" sh "$repo/scripts/$script" "$@" > "$tmp/said" 2>&1 & ;;
	*)
		NEWIDLE_ROOT=$R "$shell" "$repo/scripts/$script" "$@" > "$tmp/said" 2>&1 & ;;
	esac
	pid=$!
}

# modprobe_fails MESSAGE LOGLINE
modprobe_fails()
{
	fake modprobe <<-EOF
		echo "$2" >> "\$R/log"
		echo "modprobe: ERROR: could not insert 'newidle': $1"
		exit 1
	EOF
}

test_load()
{
	machine obeys
	run newidle-load policy=always rate=0
	ok "load: status 0" exits 0
	ok "load: says active" says '^newidle-load: active (engine gate, policy random)$'
	ok "load: modprobe gets the knobs" called 'modprobe newidle policy=always rate=0'
	: > "$R/calls"
	run newidle-load
	ok "loaded already: status 0" exits 0
	ok "loaded already: no modprobe" not_called modprobe
	run newidle-load rate=1
	ok "loaded already, with a knob: refused" exits 3
	ok "loaded already, with a knob: no modprobe" not_called modprobe

	loaded stuck-in
	echo evicted > "$K/state"
	run newidle-load
	ok "evicted: refused, and why" last_says 'state is evicted: unload it first'

	machine obeys
	run newidle-load rte=1
	ok "misspelt knob: status 2" exits 2
	ok "misspelt knob: named" says "no knob 'rte'"
	run newidle-load --timeout 1x
	ok "bad time-out: status 2" exits 2
	run newidle-load --help
	ok "--help: status 0" exits 0
	fake id <<-'EOF'
		echo 1000
	EOF
	run newidle-load
	ok "not root: status 3" exits 3
	ok "none of these called modprobe" not_called modprobe
}

test_load_timeout()
{
	machine stuck-in
	task 11 0 'kstuck/1\033[31m'
	task 12 1 switched
	task 13 -1 elsewhere
	run newidle-load --timeout=5
	ok "load time-out: status 4" exits 4
	ok "load time-out: the task is named" says '^  kstuck/1?\[31m (pid 11, thread 11)$'
	ok "load time-out: its stack" says '^ *\[<0>\] sits_in_11'
	ok "load time-out: no other is named" is_silent_on 'switched\|elsewhere\|sits_in_12'
	ok "load time-out: nothing is left" nothing_left
	ok "load time-out: the last line says so" last_says 'not become active: not done after .*; nothing is left behind$'

	machine stuck-in-and-out
	task 11 1 kstuck
	run newidle-load --timeout 5
	ok "reversal does not end: status 5" exits 5
	ok "reversal does not end: it was asked for" holds "${P#"$R"/}/enabled" 0
	ok "reversal does not end: force is not used" holds "${P#"$R"/}/force" 0
	ok "reversal does not end: no rmmod" not_called rmmod
	ok "reversal does not end: says what to do" last_says 'modprobe -r newidle$'

	machine stuck-in
	start newidle-load --timeout 1000
	sleep 0.5
	kill -TERM "$pid"
	wait "$pid"
	status=$?
	ok "interrupted load: status 4" exits 4
	ok "interrupted load: nothing is left" nothing_left

	for state in shadowed evicted disabled transparent; do
		machine obeys
		echo $state > "$R/settles-as"
		run newidle-load
		ok "becomes $state: status 1" exits 1
		ok "becomes $state: said" last_says "but $state; nothing is left"
		ok "becomes $state: nothing is left" nothing_left
	done
}

test_load_fails()
{
	machine obeys
	modprobe_fails "Key was rejected by service" "[3.0] Loading of module with unavailable key is rejected"
	run newidle-load
	ok "key rejected: status 1" exits 1
	ok "key rejected: modprobe's words" says "insert 'newidle': Key was rejected"
	ok "key rejected: cure" says 'mokutil --import /var/lib/dkms/mok.pub'
	ok "key rejected: the kernel's words" says 'Loading of module with unavailable key'
	modprobe_fails "Key was rejected by service" "[3.0] Loading of unsigned module is rejected"
	run newidle-load
	ok "not signed: cure" says 'is not signed.*openssl.*make install'
	ok "not signed: no other guess" is_silent_on 'that dkms signed'

	machine obeys
	modprobe_fails "Device or resource busy" "[3.0] newidle: load_balance: another livepatch is there"
	run newidle-load
	ok "refusal: the log's reason is shown" says 'newidle: load_balance: another livepatch is there'
	ok "refusal: nothing of before is shown" is_silent_on 'earlier attempt'

	modprobe_fails "Exec format error" ""
	run newidle-load
	ok "format error: cure" says 'built for another kernel.*make install'
	modprobe_fails "Operation not permitted" ""
	run newidle-load
	ok "not permitted: lockdown is named" says 'lockdown'
	mkdir -p "$R/proc/sys/kernel"
	# No newline: so such a file looks to a shell that reads byte by byte.
	printf 1 > "$R/proc/sys/kernel/modules_disabled"
	run newidle-load
	ok "modules_disabled: named" says 'modules_disabled=1'
	modprobe_fails "Invalid argument" "[3.0] newidle: rate: bad value"
	run newidle-load rate=7
	ok "bad value: the log's line" says 'newidle: rate: bad value'
	ok "bad value: no other guess" is_silent_on '/etc/modprobe.d'
	modprobe_fails "Unknown symbol in module" "[3.0] newidle: kernel symbol x is missing: this kernel build is not supported"
	run newidle-load
	ok "refused for a symbol: no other guess" is_silent_on 'built for'
	ok "refused for a symbol: cure" says 'Cure: boot another one'
	modprobe_fails "Unknown symbol in module" "[3.0] newidle: Unknown symbol x (err -2)"
	run newidle-load
	ok "unresolved symbol: cure" says 'built for another kernel.*make install'
	modprobe_fails "Invalid argument" "[3.0] newidle: disagrees about version of symbol x"
	run newidle-load
	ok "symbol of another version: cure" says 'built for another kernel.*make install'
	modprobe_fails "Invalid argument" "[3.0] newidle: rq.sd has 4 bytes at 8 in this kernel, not what the module was built for (8 bytes): build it with the running kernel's headers; if it was, this kernel is not supported"
	run newidle-load
	ok "member of another size: cure" says 'built for another kernel.*make install'
	ok "member of another size: no other guess" is_silent_on 'boot another'
	fake modprobe <<-'EOF'
		echo 'modprobe: FATAL: Module newidle not found in directory /lib/modules/x'
		exit 1
	EOF
	run newidle-load
	ok "not found: cure" says 'not built for kernel.*make install'
	modprobe_fails "could not find module by name='newidle'
modprobe: ERROR: could not insert 'newidle': Unknown symbol in module" ""
	run newidle-load
	ok "not found, but configured: cure" says 'not built for kernel.*make install'
	mkdir -p "$R/usr/share/doc/newidle-dkms"
	run newidle-load
	ok "not found, packaged: cure" says 'not built for kernel.*reinstall newidle-dkms'
	rm "$R/sbin/modprobe"
	run newidle-load
	ok "no modprobe: status 1" exits 1

	machine obeys
	fake modprobe <<-'EOF'
		mkdir -p "$M"; echo live > "$M/initstate"; echo 0 > "$M/refcnt"
	EOF
	run newidle-load
	ok "init never ran: status 5" exits 5
	ok "init never ran: said" says "never ran its init"
	run newidle-unload
	ok "init never ran: unload fails" exits 1
	ok "init never ran: no rmmod" not_called rmmod
}

test_unload()
{
	machine obeys
	fake id <<-'EOF'
		echo 1000
	EOF
	run newidle-unload
	ok "unload when not loaded: status 0" exits 0
	ok "unload when not loaded: silent" is_silent_on .

	loaded obeys
	run newidle-unload
	ok "unload: status 0" exits 0
	ok "unload: nothing is left" nothing_left
	ok "unload: silent" is_silent_on .

	loaded obeys
	rm -r "$P"
	echo 0 > "$M/refcnt"
	echo evicted > "$K/state"
	run newidle-unload
	ok "unload after eviction: status 0" exits 0
	ok "unload after eviction: nothing is left" nothing_left

	loaded stuck-out
	task 21 1 sleeper
	task 22 0 switched
	run newidle-unload --timeout 5
	ok "unload time-out: status 4" exits 4
	ok "unload time-out: the task is named" says '^  sleeper (pid 21, thread 21)$'
	ok "unload time-out: its stack" says 'sits_in_21'
	ok "unload time-out: no other is named" is_silent_on 'switched'
	ok "unload time-out: enabled again" holds "${P#"$R"/}/enabled" 1
	ok "unload time-out: works again" holds "${K#"$R"/}/state" active
	ok "unload time-out: no rmmod" not_called rmmod
	ok "unload time-out: says so" last_says 'stays loaded, its state is active again'

	loaded stuck-out
	start newidle-unload --timeout 1000
	sleep 0.5
	kill -TERM "$pid"
	wait "$pid"
	status=$?
	ok "interrupted unload: status 4" exits 4
	ok "interrupted unload: enabled again" holds "${P#"$R"/}/enabled" 1

	loaded stuck-out
	echo 0 > "$P/enabled"
	run newidle-unload --timeout 5
	ok "disabled by an admin, stuck: status 1" exits 1
	ok "disabled by an admin, stuck: not enabled" holds "${P#"$R"/}/enabled" 0

	loaded stuck-in
	rm "$P/enabled"
	mkdir "$P/enabled" "$P/../other"
	echo 1 > "$P/../other/transition"
	run newidle-unload --timeout 5
	ok "another livepatch in transition: status 4" exits 4
	ok "another livepatch in transition: named" last_says 'in transition: other;'
}

test_unload_held()
{
	loaded obeys
	echo 2 > "$M/refcnt"
	task 31 -1 reader
	descriptor 31 3 "$R/sys/kernel/debug/newidle/domains"
	task 32 -1 tracer
	descriptor 32 7 'anon_inode:[perf_event]'
	run newidle-unload
	ok "held by a reader: status 3" exits 3
	ok "held by a reader: named" says '^  reader (pid 31) has .*/newidle/domains open$'
	ok "held by a reader: no suspects" is_silent_on tracer
	ok "held by a reader: not disabled" holds "${P#"$R"/}/enabled" 1
	ok "held by a reader: no rmmod" not_called rmmod

	rm "$R/proc/31/fd/3"
	descriptor 31 4 'anon_inode:bpf-prog'
	printf 'pos:\t0\nprog_type:\t8\n' > "$R/proc/31/fdinfo/4"
	descriptor 33 5 'anon_inode:bpf-prog'
	printf 'pos:\t0\nprog_type:\t17\n' > "$R/proc/33/fdinfo/5"
	task 33 -1 tracebpf
	run newidle-unload
	ok "held by somebody: status 3" exits 3
	ok "held by somebody: perf is a suspect" says '^  tracer (pid 32) may: it has a perf event$'
	ok "held by somebody: BPF is a suspect" says '^  tracebpf (pid 33) may: it has a BPF program$'
	ok "held by somebody: cgroup BPF is none" is_silent_on reader

	rm -r "$R"/proc/3*
	run newidle-unload
	ok "held by nobody visible: said" says 'no process that can be seen'
	mkdir "$M/holders/othermodule"
	run newidle-unload
	ok "held by a module: named" says 'module othermodule uses it'

	loaded obeys
	echo 1 > "$R/refs-after"
	task 34 -1 late
	descriptor 34 3 "$R/sys/kernel/debug/newidle/domains"
	run newidle-unload
	ok "held after disabling: status 5" exits 5
	ok "held after disabling: named" says 'late (pid 34) has'
	ok "held after disabling: no rmmod" not_called rmmod

	loaded obeys
	: > "$R/reader"
	fake rmmod <<-'EOF'
		[ ! -e "$R/reader" ] || { rm "$R/reader"; echo "rmmod: in use"; exit 1; }
		rm -r "$M" "$K"
	EOF
	run newidle-unload
	ok "a reader at the last moment: it is tried again" exits 0
	ok "a reader at the last moment: it is removed" nothing_left
	loaded obeys
	fake rmmod <<-'EOF'
		echo "rmmod: in use"
		exit 1
	EOF
	run newidle-unload
	ok "readers all the time: status 5" exits 5
	ok "readers all the time: said" says 'rmmod: in use'
}

test_installed()
{
	D=$tmp/dest
	make -s -C "$repo" install-files DESTDIR="$D" > "$tmp/said" 2>&1
	status=$?
	ok "install-files: status 0" exits 0
	helper=$(sed -n 's/^remove newidle //p' "$D/usr/lib/modprobe.d/newidle-unload.conf")
	ok "installed: modprobe -r calls a program that is there" [ -x "$D${helper:-/missing}" ]
	ok "installed: modprobe itself is left alone" [ "$(grep -c '^[^#]' "$D/usr/lib/modprobe.d/newidle-unload.conf")" = 1 ]
	loaded obeys
	NEWIDLE_ROOT=$R "$shell" "$D$helper" > "$tmp/said" 2>&1
	status=$?
	ok "installed: it unloads" nothing_left
	make -s -C "$repo" uninstall-files DESTDIR="$D" > "$tmp/said" 2>&1
	status=$?
	ok "uninstall-files: status 0" exits 0
	ok "uninstall-files: no file is left" [ -z "$(find "$D" ! -type d)" ]
	ok "uninstall-files: no directory of ours is left" [ -z "$(find "$D" -name '*newidle*')" ]
}

busybox=$(command -v busybox) || { echo "Bail out! no busybox"; exit 1; }
for shell in dash busybox; do
	test_load
	test_load_timeout
	test_load_fails
	test_unload
	test_unload_held
done
shell=dash
test_installed
echo "1..$n"
