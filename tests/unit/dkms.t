#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dkms-install with a make-believe dkms.

repo=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
tmp=$(mktemp -d) || exit 1
. "$repo/tests/unit/machine.sh"
trap 'stop_kernel; rm -rf "$tmp"' EXIT
shell='sh'

# What DKMS says of it, and does: kernel old can't be built for.
dkms_machine()
{
	machine obeys
	mkdir -p "$R/usr/src" "$R/lib/modules/new/build" "$R/lib/modules/old/build" \
		"$R/lib/modules/also/build"
	fake dkms <<-'EOF'
		case $* in
		status*)
			echo "newidle/0.0.9, also, x86_64: installed"
			echo "newidle/0.0.9, new, x86_64: installed"
			echo "newidle/0.0.9, old, x86_64: installed" ;;
		"build "*" old "*) exit 10 ;;
		esac
	EOF
}

dkms_install()
{
	PATH=$R/sbin:$PATH NEWIDLE_ROOT=$R "$repo/scripts/dkms-install" "$@" > "$tmp/said" 2>&1
	status=$?
}

dkms_machine
dkms_install 0.1.0 new
ok "another kernel can't be built for: status 0" exits 0
ok "another kernel can't be built for: said" says '^not rebuilt for kernel old'
ok "the kernel asked for comes first" \
	[ "$(sed -n 's/^dkms build .* -k //p' "$R/calls" | tr '\n' ' ')" = "new --force also --force old --force " ]
ok "what is built is installed" \
	[ "$(grep -c '^dkms install' "$R/calls")" = 2 ]
ok "its source is there" [ -e "$R/usr/src/newidle-0.1.0/module/policy.c" ]
dkms_machine
dkms_install 0.1.0 old
ok "the kernel asked for can't be built for: fails" [ "$status" != 0 ]
ok "the kernel asked for can't be built for: said" \
	says '^newidle 0.1.0 is not installed for kernel old'
ok "others keep it" [ "$(grep -c '^dkms install' "$R/calls")" = 2 ]
dkms_machine
dkms_install 0.1.0 none
ok "no headers: status 1" exits 1
ok "no headers: named" says 'headers of kernel none are needed'
ok "no headers: DKMS is left alone" not_called dkms
dkms_machine
dkms_install --remove
ok "--remove: all of it" [ "$(grep -c '^dkms remove newidle/0.0.9 --all' "$R/calls")" = 1 ]
echo "1..$n"
