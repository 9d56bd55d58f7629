#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# kernels: 6.12 7.3
# smp: 2,sockets=2
# timeout: 300
#
# What newidle-load says when newidle or the kernel refuses, word for word: the
# reason, and the cure.  Other reasons: signed.sh and lockdown.sh; refuse.sh and
# target.sh have the kernel's lines alone.

unsupported="newidle-load: newidle can't work on this kernel.  Cure: boot another one, or get a newer newidle; its README says which kernels it is for"
built="newidle-load: built for another kernel.  Cure: make install in newidle's source directory builds it for this kernel; it needs linux-headers-$(uname -r)"
not_built="newidle-load: not built for kernel $(uname -r).  ${built#*.  }"

features_keep
# What the kernel says of the first module alone.
check "newidle-load" newidle-load
check "unload" modprobe -r newidle

refusal_is off=1 <<'END'
modprobe: ERROR: could not insert 'newidle': Operation canceled
  newidle: off=1 keeps it out, nothing is changed: take newidle.off from the kernel command line, or off from /etc/modprobe.d, or for once: modprobe newidle off=0
newidle-load: not loaded
END

refusal_is policy=some <<'END'
modprobe: ERROR: could not insert 'newidle': Invalid argument
  newidle: policy: bad value "some": must be one of stock always random bresenham value
  newidle: `some' invalid for parameter `policy'
newidle-load: not loaded
END

refusal_is test_absent=bpf_get_btf_vmlinux <<END
modprobe: ERROR: could not insert 'newidle': Unknown symbol in module, or unknown parameter (see dmesg)
  newidle: kernel symbol bpf_get_btf_vmlinux is missing: this kernel build is not supported
$unsupported
newidle-load: not loaded
END

refusal_is test_absent="$(balancer_name)" <<END
modprobe: ERROR: could not insert 'newidle': Unknown symbol in module, or unknown parameter (see dmesg)
  newidle: sched_balance_rq or load_balance is no function of this kernel build: it was inlined or renamed: not supported
$unsupported
newidle-load: not loaded
END

refusal_is test_absent=rq.sd <<END
modprobe: ERROR: could not insert 'newidle': Unknown symbol in module, or unknown parameter (see dmesg)
  newidle: struct rq has no member sd in this kernel: not supported
$unsupported
newidle-load: not loaded
END

insmod /test/nib_hook.ko how=ipmodify
name=$(balancer_name)
{
	echo "modprobe: ERROR: could not insert 'newidle': Device or resource busy"
	# Engines are chosen first.
	[ "$(newidle_name)" ] ||
		echo "  newidle: not engine swap: sched_balance_newidle or newidle_balance is no function of this kernel build: it was inlined or renamed"
	cat <<END
  newidle: $name is already livepatched or redirected by somebody else: see /sys/kernel/livepatch and /sys/kernel/tracing/enabled_functions (flag I), remove that one first
newidle-load: not loaded
END
} > /tmp/busy
refusal_is < /tmp/busy
rmmod nib_hook

# A function that takes other arguments than it should.
# shellcheck source=tests/vm/guest/installed.sh
. /test/installed.sh
instead /test/other-balancer/newidle.ko
refusal_is test_balancer=wake_up_process <<END
modprobe: ERROR: could not insert 'newidle': Invalid argument
  newidle: wake_up_process is int (struct task_struct *) in this kernel, expected int (int, struct rq *, struct sched_domain *, enum cpu_idle_type, int *): not supported
$unsupported
newidle-load: not loaded
END

# Another kernel's module: other options, or another version of all types or of one
# function.
of_another_kernel /tmp/other.ko
instead /tmp/other.ko
refusal_is <<END
modprobe: ERROR: could not insert 'newidle': Exec format error
  newidle: version magic '$(modinfo -F vermagic /tmp/other.ko)' should be '$(modinfo -F vermagic /tmp/newidle.ko)'
$built
newidle-load: not loaded
END

# A kernel without CONFIG_MODVERSIONS has no such checksums.
if [ "$(at /tmp/newidle.ko module_layout)" ]; then
	of_another_build /tmp/other.ko module_layout
	instead /tmp/other.ko
	refusal_is <<END
modprobe: ERROR: could not insert 'newidle': Exec format error
  newidle: disagrees about version of symbol module_layout
$built
newidle-load: not loaded
END
	of_another_build /tmp/other.ko klp_enable_patch
	instead /tmp/other.ko
	refusal_is <<END
modprobe: ERROR: could not insert 'newidle': Invalid argument
  newidle: disagrees about version of symbol klp_enable_patch
  newidle: Unknown symbol klp_enable_patch (err -22)
$built
newidle-load: not loaded
END
fi

# None for this kernel.
instead
refusal_is <<END
modprobe: ERROR: could not find module by name='newidle'
modprobe: ERROR: could not insert 'newidle': Unknown symbol in module, or unknown parameter (see dmesg)
$not_built
newidle-load: not loaded
END

put_back
check "the real one loads" newidle-load
check "unload" modprobe -r newidle

echo 1 > /proc/sys/kernel/modules_disabled
refusal_is <<'END'
modprobe: ERROR: could not insert 'newidle': Operation not permitted
newidle-load: this system forbids loading modules until it is rebooted (kernel.modules_disabled=1)
newidle-load: not loaded
END
check "the kernel's features are as before, byte for byte" as_before
