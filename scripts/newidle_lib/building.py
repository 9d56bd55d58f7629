# SPDX-License-Identifier: GPL-2.0-only
"""Conditions of building the module, and of the kernel's taking it."""

import re

from . import machine
from .findings import good, note, obstacle, unknown, warning
from .kernel import compiler
from .machine import chosen

SECURE_BOOT = "/sys/firmware/efi/efivars/" \
    "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
KEY = "/var/lib/dkms/mok.pub"
ENROLL = "mokutil --import %s, reboot, confirm" % KEY


def make_install(kernel):
    return "make install%s in newidle's source directory" % \
        ("" if kernel.is_running else " KVER=" + kernel.release)


def installed_module(kernel):
    """Where modprobe would find it, or None."""
    return machine.output("modinfo", "-k", kernel.release, "-F", "filename",
                          "newidle")


def headers(kernel):
    folder = kernel.modules + "/build"
    if machine.exists(folder):
        return good("headers", folder)
    cure = "apt-get install linux-headers-" + kernel.release
    if installed_module(kernel):
        return note("headers", folder + " is missing; the module is built "
                    "already, but can't be built again", cure)
    return obstacle("headers", folder + " is missing", cure)


def installed_compiler(name, major):
    for program in ("%s-%d" % (name, major), name):
        found = compiler(machine.output(program, "--version"))
        if found:
            return found
    return None


def building_compiler(kernel):
    config = kernel.config() or {}
    built = compiler(config.get("CONFIG_CC_VERSION_TEXT", "").strip('"'))
    if not built:
        return unknown("compiler", "what built the kernel is not known")
    words = "%s %d" % built
    have = installed_compiler(*built)
    if have == built:
        return good("compiler", words + ", as the kernel's")
    return warning("compiler", "the kernel was built by %s, here is %s" %
                   (words, "%s %d" % have if have else "none"),
                   "apt-get install %s-%d" % built)


def dkms_states():
    """(version, kernel or None, state) by line; None without dkms."""
    done = machine.tool("dkms", "status", "newidle")
    if not done:
        return None
    pattern = r"^newidle(?:/|, )([^,:\s]+)(?:, ([^,:]+), [^,:]+)?: (.*)$"
    return [(version, kernel or None, state) for version, kernel, state in
            re.findall(pattern, done[1], re.M)]


def module(kernel):
    states = dkms_states()
    mine = [s for s in states or () if s[1] == kernel.release]
    if mine:
        return dkms_state(kernel, *mine[-1])
    found = installed_module(kernel)
    if found:
        return good("module", "%s, not by DKMS" % found)
    if states is None:
        return obstacle("module", "dkms is not installed, so nothing builds it",
                        "apt-get install dkms")
    if states:
        return obstacle("module", "version %s is known to DKMS, but not built "
                        "for kernel %s" % (states[-1][0], kernel.release),
                        make_install(kernel))
    return note("module", "not installed yet", make_install(kernel))


def dkms_state(kernel, version, release, state):
    words = "newidle %s is %s by DKMS for kernel %s" % (
        version, state.split(" ")[0], release)
    if not state.startswith("installed"):
        return obstacle("module", words + ", but not installed",
                        "dkms install newidle/%s -k %s" % (version, release))
    if "WARNING" in state:
        return warning("module", "%s: %s" % (words, state),
                       make_install(kernel))
    return good("module", words)


def look(read, *arguments):
    """(what was read, whether root could see more)"""
    try:
        return read(*arguments), False
    except PermissionError:
        return None, True


def secure_boot():
    """None if unknown; machines without EFI have none."""
    if not machine.exists("/sys/firmware/efi"):
        return False
    data = machine.read_bytes(SECURE_BOOT)
    return data[4] == 1 if data and len(data) > 4 else None


def key_enrolled():
    """True, False, "asked" for one to be confirmed; None if unknown."""
    done = machine.tool("mokutil", "--test-key", machine.path(KEY))
    # Its exit status differs between versions.
    for words, meaning in (("enrollment request", "asked"),
                           ("not enrolled", False), ("enrolled", True)):
        if done and words in done[1]:
            return meaning
    return None


def enforcement():
    """Why the kernel takes signed modules only; and whether all was seen."""
    lockdown, hidden1 = look(machine.read, "/sys/kernel/security/lockdown")
    enforce, hidden2 = look(machine.read,
                            "/sys/module/module/parameters/sig_enforce")
    reasons = []
    if chosen(lockdown) in ("integrity", "confidentiality"):
        reasons.append("lockdown is " + chosen(lockdown))
    if enforce in ("Y", "1"):
        reasons.append("module.sig_enforce is on")
    return reasons, not hidden1 and not hidden2


def signature(_kernel):
    if machine.read("/proc/sys/kernel/modules_disabled") == "1":
        return obstacle("signature", "this system forbids loading modules "
                        "(kernel.modules_disabled=1)", "reboot")
    secure, hidden = look(secure_boot)
    words = {True: "Secure Boot is on", False: "Secure Boot is off",
             None: "Secure Boot unknown"}[secure]
    reasons, seen = enforcement()
    if reasons:
        return signed(", ".join([words] + reasons))
    if not seen or hidden:
        return unknown("signature", "needs root to see whether modules must "
                       "be signed")
    return good("signature", words + "; modules need not be signed")


def signed(why):
    if not machine.exists(KEY):
        return obstacle("signature", "modules must be signed (%s), and DKMS "
                        "has no key %s" % (why, KEY),
                        "make install, which makes one; " + ENROLL)
    enrolled = key_enrolled()
    if enrolled is True:
        return good("signature", "DKMS's key is enrolled (%s)" % why)
    if enrolled == "asked":
        return obstacle("signature", "DKMS's key waits to be confirmed (%s)" %
                        why, "reboot, confirm")
    if enrolled is False:
        return obstacle("signature", "modules must be signed (%s), and the "
                        "firmware does not know DKMS's key" % why, ENROLL)
    return unknown("signature", "modules must be signed (%s); whether DKMS's "
                   "key is enrolled is not known" % why,
                   "unless it is: " + ENROLL)
