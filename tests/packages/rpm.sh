#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# newidle.spec, with rpmbuild and rpmlint as Debian has them, in a copy of a chroot
# that is thrown away.  Installation is not tested: that wants another system.

set -u

version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' /src/dkms.conf)
# shellcheck source=tests/vm/guest/lib.sh disable=SC2154
. /src/tests/vm/guest/lib.sh

rpm_build()
{
	mkdir -p /tmp/rpm/SOURCES "/tmp/newidle-$version"
	cp -r /src/. "/tmp/newidle-$version"
	tar -C /tmp -czf "/tmp/rpm/SOURCES/newidle-$version.tar.gz" "newidle-$version"
	# What it needs is there, but not by the names that rpm knows.
	rpmbuild --nodeps --define '_topdir /tmp/rpm' -ba /src/newidle.spec
}

lint()
{
	rpmlint -c /src/tests/packages/rpmlint.toml "$@"
}

# files PACKAGE: what it puts where
files()
{
	rpm -qlp /tmp/rpm/RPMS/*/newidle-"$1-$version"-1.*.rpm
}

holds()
{
	files "$1" | grep -qx "$2"
}

# Below a directory, what "make install-files" puts; and nothing else but the
# module's source, the settings, the license and documents.
same_files()
{
	make -s -C /src install-files DESTDIR=/tmp/dest
	(cd /tmp/dest && find . -type f | cut -c 2-) | LC_ALL=C sort > /tmp/wanted
	for package in dkms tools; do
		files $package
	done | grep -v "/usr/lib/\.build-id\|/usr/lib/debug" | sed 's/\.gz$//' | grep -v "^/usr/src/\|^/etc/\|^/usr/share/\(doc\|licenses\)/\|^/usr/lib/newidle\(/newidle_lib\)*$" |
		LC_ALL=C sort | diff /tmp/wanted -
}

# shell_of_dkms TAG: one that uses dkms, and has no syntax error
shell_of_dkms()
{
	rpm -qp --qf "%{$1}" "/tmp/rpm/RPMS/noarch/newidle-dkms-$version-1.noarch.rpm" > "/tmp/$1" &&
		grep -q '^dkms ' "/tmp/$1" && sh -n "/tmp/$1"
}

check "rpmbuild" rpm_build
found=$(find /tmp/rpm -name '*.rpm')
is "$(echo "$found" | wc -l)" 4 "four packages: the source, dkms, tools, and what debuggers want of these"
# shellcheck disable=SC2086
check "rpmlint" lint /src/newidle.spec $found
diag "$(echo "$said" | tail -n 1)"
sed 's/^License:.*//' /src/newidle.spec > /tmp/newidle.spec
check "rpmlint notices a fault" refused lint /tmp/newidle.spec
check "the packages have what is installed elsewhere" same_files
check "the module's source" holds dkms "/usr/src/newidle-$version/module/policy.c"
check "the license" holds dkms "/usr/share/licenses/newidle-dkms[-0-9.]*/COPYING"
check "how it works" holds tools "/usr/share/doc/newidle-tools[-0-9.]*/design.md"
check "its settings" holds dkms /etc/modprobe.d/newidle.conf
is "$(rpm -qp --qf '%{version}' /tmp/rpm/RPMS/*/newidle-tools-"$version"-1.*.rpm)" \
	"$version" "the version"
check "what is run after installation is shell" shell_of_dkms postin
check "what is run before removal is shell" shell_of_dkms preun
check "which unloads" contains "$(cat /tmp/preun)" /usr/sbin/newidle-unload
echo "# came to its end"
