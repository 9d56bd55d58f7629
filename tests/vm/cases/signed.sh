#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# core: 6.12
# kernels: 6.12 7.3
# smp: 2,sockets=2
# append: module.sig_enforce=1
# timeout: 300
#
# A kernel that wants modules signed with a key it knows: refused, with the cure.

is "$(cat /sys/module/module/parameters/sig_enforce)" Y "signatures are enforced"
features_keep
refusal_is <<'END'
modprobe: ERROR: could not insert 'newidle': Key was rejected by service
  Loading of module with unavailable key is rejected
newidle-load: Secure Boot is on and the firmware does not know the key that dkms signed the module with.  Cure: mokutil --import /var/lib/dkms/mok.pub, reboot, confirm, load again
newidle-load: not loaded
END
# shellcheck source=tests/vm/guest/installed.sh
. /test/installed.sh
unsigned /tmp/other.ko
is "$(modinfo -F signer /tmp/other.ko)" "" "the other one is not signed"
check "nor spoilt" contains "$(modinfo -F description /tmp/other.ko)" "$(modinfo -F description /tmp/newidle.ko)"
instead /tmp/other.ko
refusal_is <<END
modprobe: ERROR: could not insert 'newidle': Key was rejected by service
  Loading of unsigned module is rejected
newidle-load: this kernel takes signed modules only (Secure Boot, or module.sig_enforce=1), and this one is not signed.  Cure: apt-get install openssl, make install in newidle's source directory, where dkms signs it.  With Secure Boot also: mokutil --import /var/lib/dkms/mok.pub, reboot, confirm
newidle-load: not loaded
END
put_back
check "the kernel's features are as before, byte for byte" as_before
