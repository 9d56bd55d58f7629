# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154  # CACHE, KEYRING: set elsewhere
#
# The two chroots: "tools" (Debian 13: QEMU, compilers, test tools, and its
# kernels) and "old" (Debian 12: its kernels and their compiler).
# State of ours is in /var/lib/newidle of each.

CHROOTS="tools old"
STATE=var/lib/newidle

suites_of()
{
	case $1 in
	tools) echo trixie trixie-backports ;;
	old) echo bookworm bookworm-backports ;;
	esac
}

packages_of()
{
	echo ca-certificates dkms gcc kmod libc6-dev make xz-utils
	[ "$1" = tools ] || return 0
	echo bpftrace busybox-static clang-format cpio libcmocka-dev linux-perf \
		ncurses-base perl python3 qemu-system-x86 rt-tests shellcheck sparse \
		stress-ng tmux trace-cmd valgrind zstd
}

# What a chroot is made from; when that changes, it is made anew.
recipe()
{
	suites_of "$1"
	packages_of "$1"
	echo "version 1"
}

check_machine()
{
	[ "$(id -u)" = 0 ] || die "needs root, to make chroots"
	if [ "$(dpkg --print-architecture 2> /dev/null)" != amd64 ] ||
		! command -v apt-get > /dev/null; then
		die "needs Debian on amd64"
	fi
	mkdir -p "$CACHE"
}

# Held for the whole run, by its children too, so that what a killed run left
# running is waited for as well.
lock()
{
	exec 9> "$CACHE/lock"
	flock -n 9 && return
	say "another run uses the chroots, waiting for it"
	flock 9
}

# enter NAME COMMAND...: become the command, in the chroot.  The mounts are
# seen by it alone and end with it.  With a directory in $COPY in a copy of the
# chroot, made there in memory, of which /var/lib/newidle/packages alone stays.
enter()
{
	root=$CACHE/$1
	shift
	# shellcheck disable=SC2016  # expanded by the inner shell
	exec unshare --mount --propagation private sh -ec '
		root=$1 copy=$2
		shift 2
		if [ "$copy" ]; then
			mount -t tmpfs tmpfs "$copy"
			mkdir "$copy/new" "$copy/work" "$copy/root"
			mount -t overlay -o "lowerdir=$root,upperdir=$copy/new,workdir=$copy/work" \
				overlay "$copy/root"
			mount --bind "$root/var/lib/newidle/packages" \
				"$copy/root/var/lib/newidle/packages"
			root=$copy/root
		fi
		mount --bind /proc "$root/proc"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs -o mode=755 tmpfs "$root/run"
		for file in resolv.conf hosts; do
			[ ! -e "/etc/$file" ] || cat "/etc/$file" > "$root/etc/$file"
		done
		cd "$root"
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
			TERM="${TERM:-dumb}" DEBIAN_FRONTEND=noninteractive \
			CI="${CI:-}" SLOWER="${SLOWER:-}" KERNELS="${KERNELS:-}" \
			WITHOUT="${WITHOUT:-}" \
			http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
			no_proxy="${no_proxy:-}" chroot "$root" "$@"
	' sh "$root" "${COPY:-}" "$@"
}

# inside NAME COMMAND...: the same as a child
inside()
{
	(enter "$@")
}

in_copy()
{
	mkdir -p "$CACHE/copy"
	(COPY=$CACHE/copy && enter "$@")
}

# The log of what goes on in a chroot when it is made or changed.
log_of()
{
	echo "$CACHE/$1.log"
}

# together FUNCTION NAME...: run the function for each chroot at the same time,
# output to their logs, and say now and then how far they are.  Each is a run of
# its own of tests/run, in a process group of its own, so that it can be stopped
# with all that it started.
together()
{
	what=$1
	shift
	jobs=
	for name; do
		setsid sh "$0" --job "$what" "$name" > "$(log_of "$name")" 2>&1 &
		jobs="$jobs $name:$!"
	done
	while sleep 20 > /dev/null 2>&1 9>&-; do
		say "still at it:$(phases "$@")"
	done &
	ticker=$!
	trap 'stop_jobs; exit 130' INT TERM HUP
	failed=
	for job in $jobs; do
		wait "${job#*:}" || failed="$failed ${job%:*}"
	done
	kill "$ticker"
	trap - INT TERM HUP
	for name in $failed; do
		tail -n 30 "$(log_of "$name")" >&2
		echo "the $name chroot failed; its whole log: $(log_of "$name")" >&2
	done
	[ -z "$failed" ] || exit 1
}

stop_jobs()
{
	kill "$ticker"
	for job in $jobs; do
		kill -s TERM -- "-${job#*:}" 2> /dev/null || :
	done
}

# What the logs' last headings are, and how big a chroot in the making is.
phases()
{
	for name; do
		phase=$(sed -n 's/^I: //p' "$(log_of "$name")" | tail -n 1)
		case $phase in "" | done) continue ;; esac
		printf ' %s: %s' "$name" "$phase"
		[ ! -d "$CACHE/$name.new" ] || printf ', %s MB' \
			"$(du -sm "$CACHE/$name.new" 2> /dev/null | cut -f 1)"
		printf ';'
	done
}

drop()
{
	rm -rf --one-file-system "$1"
}

# Made under another name, so that half a chroot is never taken for a whole one.
make_chroot()
{
	new=$CACHE/$1.new
	drop "$new"
	apt_options > "$CACHE/$1.apt"
	# shellcheck disable=SC2046
	sources $(suites_of "$1") > "$CACHE/$1.list" || return
	suite=$(suites_of "$1")
	# Left out: documentation, translations, and waiting for the disk.  Not by
	# --dpkgopt, for which every package is piped through a Python program.
	cat > "$CACHE/$1.dpkg" <<-END
		force-unsafe-io
		path-exclude=/usr/share/doc/*
		path-exclude=/usr/share/locale/*
		path-exclude=/usr/share/man/*
	END
	unshare --mount --propagation private mmdebstrap --variant=minbase \
		--mode=root --skip=cleanup/apt/lists \
		--include="$(packages_of "$1" | tr -s ' \n' ',,')" \
		--essential-hook="cp '$CACHE/$1.dpkg' \"\$1/etc/dpkg/dpkg.cfg.d/newidle\"" \
		--aptopt="$CACHE/$1.apt" \
		"${suite%% *}" "$new" - < "$CACHE/$1.list" || return
	mkdir -p "$new/$STATE"
	recipe "$1" > "$new/$STATE/recipe"
	touch "$new/$STATE/updated"
	drop "$CACHE/$1"
	mv "$new" "$CACHE/$1"
}

# The archives' lists, as of now.  Without a network all stays as it is.
update_chroot()
{
	apt=$CACHE/$1/etc/apt
	# shellcheck disable=SC2046
	sources $(suites_of "$1") > "$CACHE/$1.list" || return
	apt_options > "$apt/apt.conf.d/99mmdebstrap"
	cat "$apt/sources.list" "$apt/sources.list.d"/* > "$apt/sources.list.old" 2> /dev/null || :
	rm -f "$apt/sources.list.d"/*
	cp "$CACHE/$1.list" "$apt/sources.list"
	echo "I: apt-get update"
	if inside "$1" sh -c 'dpkg --configure -a && apt-get -qq --error-on=any update'; then
		touch "$CACHE/$1/$STATE/updated"
		rm -f "$CACHE/$1.offline"
	else
		mv "$apt/sources.list.old" "$apt/sources.list"
		touch "$CACHE/$1.offline"
	fi
}

is_whole()
{
	[ "$(recipe "$1")" = "$(cat "$CACHE/$1/$STATE/recipe" 2> /dev/null)" ]
}

# Its lists are less than a day old.
is_fresh()
{
	[ "$(find "$CACHE/$1/$STATE/updated" -mmin -1440 2> /dev/null)" ]
}

chroots()
{
	missing=
	stale=
	for name in $CHROOTS; do
		if ! is_whole "$name"; then
			missing="$missing $name"
		elif [ "${REFRESH:-}" ] || ! is_fresh "$name"; then
			stale="$stale $name"
		fi
	done

	[ -z "$missing$stale" ] || find_archives
	if [ "$missing" ]; then
		need_mmdebstrap
		need_space
		say "making chroots:$missing (some minutes)"
		# shellcheck disable=SC2086
		together make_chroot $missing
	fi
	if [ "$stale" ]; then
		say "asking for newer kernels"
		# shellcheck disable=SC2086
		together update_chroot $stale
		for name in $stale; do
			[ ! -e "$CACHE/$name.offline" ] ||
				say "no answer (offline?): the $name chroot knows" \
					"kernels as of $(date -r "$CACHE/$name/$STATE/updated" +%F)"
		done
	fi
	check_qemu
}

need_space()
{
	free=$(df -Pk "$CACHE" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$free" -ge 5000 ] || die "needs 5 GB in $CACHE, which has $free MB"
}

check_qemu()
{
	version=$(inside tools qemu-system-x86_64 --version |
		sed -n 's/.*version \([0-9.]*\).*/\1/p')
	case $version in
	"") die "QEMU does not run in the tools chroot" ;;
	[1-7].* | 8.0 | 8.0.*)
		die "QEMU $version: guests crash in it when their kernel's text is patched; 8.1 or newer is needed" ;;
	esac
	say "QEMU $version (8.1 or newer is needed)"
}
