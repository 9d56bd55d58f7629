#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kernels: 6.12-no-livepatch 6.12-no-btf
# smp: 2,sockets=2
# timeout: 300
#
# Kernels for which newidle is not, and dkms does not build it; here it was built by
# hand.  What newidle-load says, word for word.

case $(uname -r) in
*-no-livepatch)
	check "this kernel has no livepatching" [ ! -d /sys/kernel/livepatch ]
	line="this kernel is built without CONFIG_LIVEPATCH, so newidle can't work on it: boot a kernel that has it" ;;
*-no-btf)
	check "this kernel has livepatching" [ -d /sys/kernel/livepatch ]
	check "this kernel has no BTF" [ ! -e /sys/kernel/btf/vmlinux ]
	line="this kernel is built without CONFIG_DEBUG_INFO_BTF, so newidle can't know its structs: boot a kernel that has it" ;;
esac

# What the kernel says of the first module alone.
check "modprobe fails" refused modprobe newidle

# Twice: the first time leaves nothing that changes what is said.
for _ in first second; do
	refusal_is <<-END
	modprobe: ERROR: could not insert 'newidle': Operation not supported
	  newidle: $line
	newidle-load: not loaded
	END
done
check "nothing to unload" sh -c '! lsmod | grep -q newidle'
hackbench -g 2 -l 100 > /dev/null
is $? 0 "and the kernel schedules"
