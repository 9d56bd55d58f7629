#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# kernels: 6.12 7.3
# smp: 2,sockets=2
# timeout: 300
#
# What newidle-load says when newidle refuses, word for word: the kernel's reason,
# and the cure.  Other reasons: signed.sh and lockdown.sh; refuse.sh and target.sh
# have the kernel's lines alone.

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

refusal_is test_absent=bpf_get_btf_vmlinux <<'END'
modprobe: ERROR: could not insert 'newidle': Unknown symbol in module, or unknown parameter (see dmesg)
  newidle: kernel symbol bpf_get_btf_vmlinux is missing: this kernel build is not supported
newidle-load: not loaded
END

refusal_is test_absent="$(balancer_name)" <<'END'
modprobe: ERROR: could not insert 'newidle': Unknown symbol in module, or unknown parameter (see dmesg)
  newidle: sched_balance_rq or load_balance is no function of this kernel build: it was inlined or renamed: not supported
newidle-load: not loaded
END

refusal_is test_absent=rq.sd <<'END'
modprobe: ERROR: could not insert 'newidle': Unknown symbol in module, or unknown parameter (see dmesg)
  newidle: struct rq has no member sd in this kernel: not supported
newidle-load: not loaded
END

insmod /test/nib_hook.ko how=ipmodify
name=$(balancer_name)
refusal_is <<END
modprobe: ERROR: could not insert 'newidle': Device or resource busy
  newidle: $name is already livepatched or redirected by somebody else: see /sys/kernel/livepatch and /sys/kernel/tracing/enabled_functions (flag I), remove that one first
newidle-load: not loaded
END
rmmod nib_hook

echo 1 > /proc/sys/kernel/modules_disabled
refusal_is <<'END'
modprobe: ERROR: could not insert 'newidle': Operation not permitted
newidle-load: this system forbids loading modules until it is rebooted (kernel.modules_disabled=1)
newidle-load: not loaded
END
check "the kernel's features are as before, byte for byte" as_before
