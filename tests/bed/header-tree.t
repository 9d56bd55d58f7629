#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Headers made for a kernel of which there is only an image: they are its, and
# the judge would notice if they were not.

state=/var/lib/newidle
bed=${0%/*}
# shellcheck source=tests/style/tap.sh
. "$bed/../style/tap.sh"

said=$(mktemp)
release=$(cat $state/kernels/"$(awk '$3 == "image" && $6 == "core" { print $1 }' \
	"$bed/kernels.list" | head -n 1)")

"$bed/judge-tree" "$release" > "$said" 2>&1
result $? "$release: the tree is the kernel's" "$said"
grep -q '^[0-9]\{4,\} layouts compared' "$said"
result $? "$release: more than a thousand layouts were compared" "$said"

# notices WHAT PATTERN HEADER SED-SCRIPT: fails, and says so
notices()
{
	! "$bed/judge-tree" "$release" "$3" "$4" > "$said" 2>&1 && grep -q "$2" "$said"
	result $? "notices $1" "$said"
}
# shellcheck disable=SC2016  # $ and & are sed's
{
	notices "one member more" "the tree:  one_more at 0: int" \
		sched.h 's/^struct rq {$/& int one_more;/'
	notices "a wider member" "the tree:  nr_running at 8: .*long" \
		sched.h '/^struct rq {$/,/^}/s/unsigned int\([[:blank:]]*nr_running;\)/unsigned long\1/'
	notices "another value of an enum" "the tree:  NUMA_DIRECT = 1" \
		sched.h 's/^enum numa_topology_type {$/& ONE_MORE,/'
	notices "an init function where the kernel does not look" \
		"module.init: [0-9]* in the image, \[[0-9]*\] in the module" \
		linux/module.h 's/^struct module {$/& void *one_more;/'
}

# What the images say they export, against what Debian says.
packaged=$(awk '$3 == "newest" && $2 == "tools" && $6 == "core" { print $1 }' \
	"$bed/kernels.list")
for name in $packaged; do
	release=$(cat "$state/kernels/$name")
	python3 -B "$bed/vmlinux.py" symvers "/boot/vmlinuz-$release" |
		sort > "$said.made"
	awk -F '\t' '$3 == "vmlinux"' "/lib/modules/$release/build/Module.symvers" |
		sort | diff - "$said.made" > "$said"
	result $? "$release: its exports are read as Debian's Module.symvers has them" "$said"
done
rm -f "$said" "$said.made"

plan
