#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# kernels: 6.12 7.3
# smp: 2,sockets=2
# append: lockdown=integrity
# timeout: 300
#
# A kernel that is locked down: refused, with the cure.

mount -t securityfs none /sys/kernel/security
check "the kernel is locked down" contains "$(cat /sys/kernel/security/lockdown)" "[integrity]"
# The features can't be read then: debugfs is closed.
refusal_is <<'END'
modprobe: ERROR: could not insert 'newidle': Operation not permitted
  Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7
newidle-load: the kernel's lockdown or a security policy forbids it.  With Secure Boot: mokutil --import /var/lib/dkms/mok.pub, reboot, confirm, load again
newidle-load: not loaded
END
