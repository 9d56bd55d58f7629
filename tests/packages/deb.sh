#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# deb.sh build | install [guest]: the Debian packages, in a copy of a chroot that is thrown
# away.  They, and what a guest needs to have them installed, come into
# /var/lib/newidle/packages, which is not.

set -u

out=/var/lib/newidle/packages
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' /src/dkms.conf)
next=$version.1
options=/etc/modprobe.d/newidle.conf
# shellcheck source=tests/vm/guest/lib.sh disable=SC2154
. /src/tests/vm/guest/lib.sh

# built VERSION: both packages, in $out
built()
{
	rm -rf /tmp/build
	mkdir /tmp/build
	cp -r /src /tmp/build/newidle
	[ "$1" = "$version" ] ||
		/src/tests/packages/next-version /tmp/build/newidle "$1" || return
	(cd /tmp/build/newidle && dpkg-buildpackage -us -uc) &&
		cp /tmp/build/*.deb "$out"
}

# files PACKAGE: what it puts where; the module's source by its folder alone
files()
{
	dpkg-deb --fsys-tarfile "$(deb "$1" "$version")" | tar -t | sed 's/^\.//' |
		grep -v '/$' | sed "s/newidle-$version/newidle-VERSION/; s|/module/.*|/module/|
			s|^\(/usr/share/doc/.*\)\.gz$|\1|" | LC_ALL=C sort -u
}

same_files()
{
	files "$1" > /tmp/files
	grep -v '^#' "/src/tests/packages/files.$1" | diff - /tmp/files
}

stripped()
{
	dpkg-deb --extract "$(deb tools "$version")" /tmp/tools
	said_of_them=$(file /tmp/tools/usr/lib/newidle/newidle-*)
	echo "$said_of_them"
	[ "$(echo "$said_of_them" | grep -c 'ELF .*, stripped')" = 4 ]
}

build()
{
	rm -f "$out"/*.deb
	check "dpkg-buildpackage: $next" built "$next"
	check "dpkg-buildpackage: $version" built "$version"
	check "lintian finds no error nor warning" lintian --allow-root \
		--fail-on error,warning /tmp/build/newidle_"$version"_amd64.changes
	for package in dkms tools; do
		check "newidle-$package has the files that it should" same_files $package
	done
	check "the programs in C have no symbols" stripped
	check "which are in a package of their own" \
		[ -s /tmp/build/newidle-tools-dbgsym_"$version"_amd64.deb ]
	sed -i 's/^Description: .*/Description:/' /tmp/build/newidle/debian/newidle-tools/DEBIAN/control
	dpkg-deb --build /tmp/build/newidle/debian/newidle-tools /tmp/bad.deb > /dev/null
	check "a package with a fault" [ -s /tmp/bad.deb ]
	check "lintian notices it" refused lintian --allow-root --fail-on error /tmp/bad.deb
}

deb()
{
	echo "$out/newidle-${1}_${2}"_*.deb
}

# Those of which the headers are here, that is, and which newidle is for.
kernels()
{
	for dir in /lib/modules/*/build/include; do
		release=$(echo "$dir" | cut -d / -f 4)
		[ ! -e "$dir" ] || /src/tests/bed/unfit "$release" || echo "$release"
	done
}

# Everything but what others write by the way.
everything()
{
	find / -xdev \( -path /proc -o -path /dev -o -path /run -o -path /tmp \
		-o -path /src -o -path /vm -o -path /var/lib/newidle -o -path /var/log \
		-o -path /var/cache -o -path /var/lib/dpkg \
		-o -path '/usr/lib/modules/*/modules.*' -o -path '/var/lib/dkms/mok.*' \
		-o -path '/usr/lib/python3*' \) -prune -o -print | LC_ALL=C sort
}

# An empty directory that only our packages had may go with them.
nothing_new()
{
	everything | LC_ALL=C comm -13 /tmp/before - > /tmp/new
	[ ! -s /tmp/new ] || { cat /tmp/new; return 1; }
}

# What dkms put in their places, whatever it compresses with.
modules()
{
	for kernel in $(kernels); do
		find "/lib/modules/$kernel/updates" -name 'newidle.ko*'
	done
}

for_every_kernel()
{
	is "$(modules | wc -l)" "$(kernels | wc -l)" "there are as many modules as kernels"
	for kernel in $(kernels); do
		is "$(modinfo -F version /lib/modules/"$kernel"/updates/dkms/newidle.ko* 2>&1)" \
			"$1" "$kernel: the module is $1"
		is "$(dkms status newidle -k "$kernel")" \
			"newidle/$1, $kernel, x86_64: installed" "$kernel: so dkms says"
	done
}

# What would be loaded, and how: our line, and the admin's.
configured()
{
	modprobe --showconfig | grep -qx "$1"
}

not_enabled()
{
	[ -e /lib/systemd/system/newidle.service ] &&
		[ -z "$(find /etc/systemd /run -name '*newidle*')" ]
}

unit_is_good()
{
	said_of_it=$(systemd-analyze verify --man=no "$1" 2>&1)
	[ -z "$said_of_it" ] || { echo "$said_of_it"; return 1; }
}

# meets_conditions COMMAND-LINE: would systemd go on, booted with that?
meets_conditions()
{
	SYSTEMD_PROC_CMDLINE=$1 systemd-analyze condition \
		"$(grep '^ConditionKernel' /lib/systemd/system/newidle.service)" \
		"$(grep '^ConditionFile' /lib/systemd/system/newidle.service)"
}

install_them()
{
	dpkg --install "$(deb dkms "$1")" "$(deb tools "$1")"
}

install()
{
	check "the packages are installed" install_them "$version"
	for_every_kernel "$version"
	[ "$(kernels | wc -l)" -gt 0 ] || not_ok "there are kernels"
	is "$(newidle --version)" "newidle $version" "newidle --version"
	check "newidle-load is there" newidle-load --help
	for page in man4/newidle.4 man8/newidle.8 man8/newidle-load.8 man8/newidle-unload.8; do
		check "the manual has $page" [ -s "/usr/share/man/$page.gz" ]
	done
	check "completion is there" [ -s /usr/share/bash-completion/completions/newidle ]
	check "the unit is there, and not enabled" not_enabled
	check "the unit is well formed" unit_is_good /lib/systemd/system/newidle.service
	check "newidle.off=1 on the kernel's command line holds it back" \
		refused meets_conditions "quiet newidle.off=1"
	check "without that it goes on" meets_conditions "quiet"
	check "nothing tells to load it" [ -z "$(grep -rl newidle /etc/modules /etc/modules-load.d /usr/lib/modules-load.d 2> /dev/null)" ]
}

upgrade()
{
	# On a machine dkms builds for the running kernel and the newest; here
	# nothing runs.
	echo 'autoinstall_all_kernels="yes"' >> /etc/dkms/framework.conf
	echo "options newidle policy=value" >> $options
	check "the packages are upgraded" install_them "$next"
	for_every_kernel "$next"
	is "$(dkms status newidle | grep -v "^newidle/${next}[,:]")" "" "dkms knows no other version"
	is "$(echo /usr/src/newidle-*)" "/usr/src/newidle-$next" "nor are sources of one left"
	is "$(newidle --version)" "newidle $next" "newidle --version"
	check "the admin's settings are kept" configured "options newidle policy=value"
	check "and do not hide the line for modprobe -r" \
		configured "remove newidle /usr/sbin/newidle-unload"
}

# A chroot whose kernel, another system's, has newidle loaded.
removal()
{
	mkdir -p /sys/module/newidle /sys/kernel/newidle /sys/kernel/livepatch/newidle
	echo 1 > /sys/kernel/livepatch/newidle/enabled
	check "the packages are removed" dpkg --remove newidle-tools newidle-dkms
	is "$(cat /sys/kernel/livepatch/newidle/enabled)" 1 "in a chroot no livepatch is touched"
	rm -r /sys/module /sys/kernel
	is "$(modules; find /var/lib/dkms /usr/src -name 'newidle*')" "" \
		"neither modules nor their sources are left"
	check "the settings are" [ -e $options ]
	check "the packages are purged" dpkg --purge newidle-tools newidle-dkms
	check "nothing is left" nothing_new
	touch /usr/lib/newidle.left
	check "a file left would be noticed" refused nothing_new
}

case $1 in
build)
	build ;;
install)
	# As on a machine that never had it, and where all of a package is kept.
	/src/scripts/dkms-install --remove > /dev/null
	make -s -C /src uninstall-files
	rm -f /etc/dpkg/dpkg.cfg.d/newidle
	everything > /tmp/before
	install
	if [ "${2:-}" = guest ]; then
		check "a guest's root" /src/tests/packages/guest-root begin
	fi
	upgrade
	if [ "${2:-}" = guest ]; then
		check "a guest's root, packed" /src/tests/packages/guest-root pack "$next"
	fi
	removal ;;
esac
echo "# came to its end"
