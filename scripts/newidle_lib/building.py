# SPDX-License-Identifier: GPL-2.0-only
"""Conditions of building the module, and of the kernel's taking it."""

import re

from . import machine
from .findings import good, note, obstacle, unknown, warning
from .kernel import compiler
from .machine import chosen

SECURE_BOOT = "/sys/firmware/efi/efivars/" \
    "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


# There if newidle came as Debian's package.
PACKAGED = "/usr/share/doc/newidle-dkms"


def make_install(kernel):
    """What builds it anew, in the way in which it came."""
    if machine.exists(PACKAGED):
        return "apt-get install --reinstall newidle-dkms" \
            if kernel.is_running else "dkms install newidle/%s -k %s" % (
                machine.version() or "VERSION", kernel.release)
    return "make install%s in newidle's source directory" % \
        ("" if kernel.is_running else " KVER=" + kernel.release)


def installed_module(kernel):
    """Where modprobe would find it, or None."""
    return machine.output("modinfo", "-k", kernel.release, "-F", "filename",
                          "newidle")


def headers_fault(kernel, folder):
    """What is wrong with a tree to build against, or None."""
    if not machine.exists(folder):
        return folder + " is missing"
    if not machine.exists(folder + "/Makefile"):
        return folder + " is incomplete: no Makefile"
    # Debian 12's have the version alone in kernel.release.
    told = re.search('UTS_RELEASE "(.*)"', machine.read(
        folder + "/include/generated/utsrelease.h") or "")
    release = told[1] if told else \
        machine.read(folder + "/include/config/kernel.release")
    if release and release != kernel.release:
        return "%s is of another kernel, %s" % (folder, release)
    return None


def headers(kernel):
    folder = kernel.modules + "/build"
    fault = headers_fault(kernel, folder)
    if not fault:
        return good("headers", folder)
    cure = "apt-get install linux-headers-%s; if there are none any more: " \
        "apt-get install linux-image-amd64 linux-headers-amd64, reboot" % \
        kernel.release
    if installed_module(kernel):
        return note("headers", fault + "; the module is built already, but "
                    "can't be built again", cure)
    return obstacle("headers", fault, cure)


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
    text = "the kernel was built by %s, here is %s" % (
        words, "%s %d" % have if have else "none")
    verdict = warning if have or installed_module(kernel) else obstacle
    return verdict("compiler", text, "apt-get install %s-%d" % built)


def dkms_states():
    """(version, kernel or None, state) by line; None without dkms.

    A text if dkms does not answer as it should.
    """
    if not machine.find_tool("dkms"):
        return None
    done = machine.tool("dkms", "status", "newidle", complaints=True)
    if not done:
        return "dkms does not answer"
    if done[0]:
        return "dkms status: " + (done[1].strip() or "failed").split("\n")[0]
    pattern = r"^newidle(?:/|, )([^,:\s]+)(?:, ([^,:]+), [^,:]+)?: (.*)$"
    return [(version, kernel or None, state) for version, kernel, state in
            re.findall(pattern, done[1], re.M)]


def module(kernel):
    states = dkms_states()
    if isinstance(states, str):
        return unknown("module", states)
    mine = [s for s in states or () if s[1] == kernel.release]
    # At most one version of a module can be the installed one.
    mine.sort(key=lambda s: s[2].startswith("installed"))
    if mine:
        return dkms_state(kernel, *mine[-1])
    found = installed_module(kernel)
    if found:
        return good("module", "%s, not by DKMS" % found)
    if states is None:
        return obstacle("module", "dkms is not installed, so nothing builds it",
                        "apt-get install dkms")
    if states:
        return obstacle("module", "version %s is known to DKMS (%s), but not "
                        "built for kernel %s" % (
                            states[-1][0], states[-1][2], kernel.release),
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


def key():
    """DKMS's certificate, as its configuration has it."""
    found = "/var/lib/dkms/mok.pub"
    folder = "/etc/dkms/framework.conf.d"
    for name in ["/etc/dkms/framework.conf"] + [
            folder + "/" + n for n in machine.names(folder)
            if n.endswith(".conf")]:
        for value in re.findall(r"^\s*mok_certificate=[\"']?([^\"'\s]+)",
                                machine.read(name) or "", re.M):
            found = value
    return found


def enroll():
    return "mokutil --import %s, reboot, confirm" % key()


def key_enrolled():
    """True, False, "asked" for one to be confirmed; None if unknown."""
    done = machine.tool("mokutil", "--test-key", machine.path(key()),
                        complaints=True)
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


def signature(kernel):
    if machine.read("/proc/sys/kernel/modules_disabled") == "1":
        return obstacle("signature", "this system forbids loading modules "
                        "(kernel.modules_disabled=1)", "reboot")
    secure, hidden = look(secure_boot)
    words = {True: "Secure Boot is on", False: "Secure Boot is off",
             None: "Secure Boot unknown"}[secure]
    reasons, seen = enforcement()
    if reasons:
        return signed(kernel, secure, ", ".join([words] + reasons))
    if not seen or hidden:
        return unknown("signature", "needs root to see whether modules must "
                       "be signed")
    if secure is not False and not machine.names("/sys/kernel/security"):
        return unknown("signature", words + "; whether the kernel is locked "
                       "down can't be seen: mount -t securityfs securityfs "
                       "/sys/kernel/security")
    return good("signature", words + "; modules need not be signed")


def signed(kernel, secure, why):
    why = "modules must be signed (%s)" % why
    if installed_module(kernel) and not machine.output(
            "modinfo", "-k", kernel.release, "-F", "signer", "newidle"):
        return obstacle("signature", why + ", and the installed one is not",
                        make_install(kernel) + ", with dkms 3 or later")
    if secure is False:
        # The firmware's keys, and the owner's, come with Secure Boot.
        return obstacle("signature", why + ", by a key that is built into the "
                        "kernel: without Secure Boot no other is known to it",
                        "boot without lockdown= and module.sig_enforce, or "
                        "with Secure Boot and DKMS's key enrolled")
    if not machine.exists(key()):
        return obstacle("signature", "%s, and DKMS has no key %s" % (why, key()),
                        "make install, which makes one; " + enroll())
    enrolled = key_enrolled()
    if enrolled is True:
        return good("signature", why + "; DKMS's key is enrolled")
    if enrolled == "asked":
        return obstacle("signature", why + "; DKMS's key waits to be confirmed",
                        "reboot, confirm")
    if enrolled is False:
        return obstacle("signature", why + ", and the firmware does not know "
                        "DKMS's key", enroll())
    return unknown("signature", why + "; whether DKMS's key is enrolled is not "
                   "known", "unless it is: " + enroll())
