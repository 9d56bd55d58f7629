#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""newidle check: each condition, met and not, and what to do."""

import gzip
import json
import os
import sys

sys.dont_write_bytecode = True
from command import NOBODY, TOOLS, Check, Machine

K = "6.12.74-amd64"
CONFIG = "/boot/config-" + K
OPTIONS = "CONFIG_X86_64=y\nCONFIG_LIVEPATCH=y\nCONFIG_KPROBES=y\n" \
    "CONFIG_DEBUG_INFO_BTF=y\n" \
    'CONFIG_CC_VERSION_TEXT="gcc-12 (Debian 12.2.0-14+deb12u1) 12.2.0"'
SEARCH = "0 T kallsyms_on_each_match_symbol"
LOCKDOWN = "/sys/kernel/security/lockdown"
EFI = "/sys/firmware/efi/efivars/" \
    "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
KEY = "/var/lib/dkms/mok.pub"
BTF = "/sys/kernel/btf/vmlinux"
PATCHES = "/sys/kernel/livepatch"


def symbols(*names):
    return "\n".join([SEARCH] + ["0 t " + name for name in names])


def good_machine():
    """One that hinders nothing, newidle installed but not loaded."""
    m = Machine(loaded=False)
    m.put(CONFIG, OPTIONS)
    m.put(BTF, b"types\0newidle_ratio\0newidle_call\0")
    m.put("/proc/sys/kernel/ftrace_enabled", "1")
    m.put("/proc/cmdline", "quiet")
    m.put("/lib/modules/%s/build/Makefile" % K, "")
    m.put("/proc/kallsyms", symbols("sched_balance_rq", "sched_balance_newidle"))
    m.put(LOCKDOWN, "[none] integrity confidentiality")
    m.put("/sys/module/module/parameters/sig_enforce", "N")
    m.put(PATCHES + "/.keep", "")
    m.remove(PATCHES + "/.keep")
    m.fake("gcc-12", "echo 'gcc-12 (Debian 12.2.0-14) 12.2.0'")
    m.put("/dkms", "newidle/0.1.0, %s, x86_64: installed" % K)
    m.fake("dkms", 'cat "$R/dkms"')
    m.put("/modprobe.d", "remove newidle /usr/sbin/newidle-unload")
    m.fake("modprobe", 'cat "$R/modprobe.d"')
    m.put("/sys/kernel/tracing/enabled_functions", "")
    m.put("/sys/kernel/security/lsm", "lockdown")
    return m


def test_good(t):
    with good_machine() as m:
        result = m.run("check")
        t.said("nothing hinders", result, 0, "\u2713  architecture: x86-64",
               "\u2713  version: " + K, "\u2713  CONFIG_LIVEPATCH: y",
               "\u2713  CONFIG_DEBUG_INFO_BTF: ", "\u2713  CONFIG_KPROBES: y",
               "\u2713  ftrace: ", "\u2713  headers: /lib/modules/",
               "\u2713  compiler: gcc 12", "\u2713  module: newidle 0.1.0 is "
               "installed by DKMS", "\u2713  signature: Secure Boot is off",
               "\u2713  engine: probably swap of sched_balance_newidle",
               "\u2713  modprobe: ", "\u2713  livepatches: no other",
               absent=["Cure", "loaded", "sched_ext", "boot options"])
        t.same("a line for each", len(result[1].splitlines()), 13)
        data = json.loads(m.run("check", "--json")[1])
        t.same("--json", [data["kernel"], data["running"], data["loadable"],
                          data["conditions"][0]],
               [K, True, True, {"name": "architecture", "verdict": "ok",
                                "text": "x86-64", "cure": ""}])
        m.put("/proc/sys/kernel/ftrace_enabled", "0")
        for what, env in (("another encoding", {"PYTHONIOENCODING": "latin-1"}),
                          ("the C locale", {"LC_ALL": "C"})):
            t.said("marks in " + what, m.run("check", **env), 1,
                   "ok architecture:", "NO ftrace:", absent=["\u2713", "\\u"])
        t.same("--json: an obstacle",
               json.loads(m.run("check", "--json")[1])["loadable"], False)


def changed(t, what, change, status, *wanted, absent=(), err=(), ask=()):
    """The good machine with one thing changed."""
    with good_machine() as m:
        change(m)
        t.said(what, m.run("check", *ask), status, *wanted, absent=absent,
               err=err)


def file(name, text):
    return lambda m: m.put(name, text)


def missing(*names):
    return lambda m: [m.remove(name) for name in names]


def both(*changes):
    return lambda m: [change(m) for change in changes]


def uname(release, machine="x86_64"):
    return lambda m: m.fake("uname", '[ "$1" = -m ] && echo %s || echo %s' %
                            (machine, release))


def test_kernel(t):
    changed(t, "another architecture", uname(K, "aarch64"), 1,
            "\u2717  architecture: aarch64, not x86-64")
    changed(t, "too new: a warning", both(
        uname("7.4.1"), file("/lib/modules/7.4.1/build/Makefile", ""),
        file("/boot/config-7.4.1", OPTIONS),
        file("/dkms", "newidle/0.1.0, 7.4.1, x86_64: installed")), 0,
            "!  version: 7.4.1 is newer than 7.3", absent=["\u2717"])
    changed(t, "too old", uname("6.0.9"), 1, "\u2717  version: 6.0.9 is older")
    for name in ("CONFIG_LIVEPATCH", "CONFIG_KPROBES"):
        changed(t, name + " is off", file(CONFIG, OPTIONS.replace(
            name + "=y", "# %s is not set" % name)), 1,
                "\u2717  %s: the kernel is built without it.  Cure: boot" % name)
    changed(t, "no BTF", both(missing(BTF), file(CONFIG, OPTIONS.replace(
        "CONFIG_DEBUG_INFO_BTF=y", ""))), 1, "\u2717  CONFIG_DEBUG_INFO_BTF: ")
    changed(t, "no configuration: unknown", missing(CONFIG), 0,
            "-  CONFIG_LIVEPATCH: no configuration", "-  compiler: ",
            "\u2713  CONFIG_DEBUG_INFO_BTF: ")
    changed(t, "config.gz", both(missing(CONFIG), file(
        "/proc/config.gz", gzip.compress(OPTIONS.encode()))), 0,
            "\u2713  CONFIG_LIVEPATCH: y", "\u2713  compiler: ")
    changed(t, "config.gz is damaged", both(missing(CONFIG), file(
        "/proc/config.gz", b"\x1f\x8bnonsense")), 0, "-  CONFIG_LIVEPATCH: ")
    changed(t, "ftrace is off", file("/proc/sys/kernel/ftrace_enabled", "0"), 1,
            "\u2717  ftrace: ", "Cure: sysctl kernel.ftrace_enabled=1")
    changed(t, "no switch for ftrace", missing(
        "/proc/sys/kernel/ftrace_enabled"), 0, "-  ftrace: ")
    changed(t, "uname does not tell", lambda m: m.fake("uname", "exit 1"), 1,
            "-  architecture: ", "!  version: ")
    changed(t, "a loader's complaints are no values", lambda m: [
        m.fake(name, "echo 'ERROR: ld.so: cannot preload' >&2\n" + script)
        for name, script in (("uname", TOOLS["uname"]), ("id", TOOLS["id"]),
                             ("gcc-12", "echo 'gcc-12 (Debian) 12.2.0'"))], 0,
            "\u2713  architecture: x86-64", "\u2713  compiler: gcc 12",
            absent=["ld.so"])


def installed(m, signer="DKMS"):
    m.fake("modinfo", 'case $* in *signer*) echo %s;;\n'
           '*) echo /lib/modules/x/newidle.ko;; esac' % signer)


def test_building(t):
    no_headers = missing("/lib/modules/%s/build" % K)
    no_dkms = missing("/sbin/dkms")
    changed(t, "no headers", no_headers, 1, "\u2717  headers: ",
            "Cure: apt-get install linux-headers-" + K)
    changed(t, "no headers, but built", both(no_headers, installed), 0,
            "\u00b7  headers: ", "Cure: apt-get install linux-headers-" + K)
    build = "/lib/modules/%s/build" % K
    changed(t, "headers without their Makefile", both(
        missing(build), file(build + "/x", "")), 1,
            "\u2717  headers: %s is incomplete" % build)
    changed(t, "another kernel's headers", file(
        build + "/include/config/kernel.release", "6.1.0-9-amd64"), 1,
            "\u2717  headers: %s is of another kernel, 6.1.0-9-amd64" % build)
    changed(t, "its own headers", file(
        build + "/include/config/kernel.release", K), 0, "\u2713  headers: ")
    generated = build + "/include/generated/utsrelease.h"
    changed(t, "its own headers, with a version in kernel.release", both(
        file(build + "/include/config/kernel.release", "6.1.192"),
        file(generated, '#define UTS_RELEASE "%s"' % K)), 0, "\u2713  headers: ")
    changed(t, "another kernel's headers, by utsrelease.h", both(
        file(build + "/include/config/kernel.release", K),
        file(generated, '#define UTS_RELEASE "6.1.0-9-amd64"')), 1,
            "\u2717  headers: %s is of another kernel, 6.1.0-9-amd64" % build)
    changed(t, "another compiler", lambda m: (
        m.remove("/sbin/gcc-12"), m.fake("gcc", "echo 'gcc (Debian 14.2.0-19) "
                                         "14.2.0'")), 0,
            "!  compiler: the kernel was built by gcc 12, here is gcc 14.  "
            "Cure: apt-get install gcc-12")
    changed(t, "no compiler", missing("/sbin/gcc-12"), 1,
            "\u2717  compiler: the kernel was built by gcc 12, here is none")
    changed(t, "no compiler, but built", both(missing("/sbin/gcc-12"),
                                              installed), 0, "!  compiler: ")
    changed(t, "no modprobe", missing("/sbin/modprobe"), 1,
            "\u2717  modprobe: ", "Cure: apt-get install kmod")
    changed(t, "modprobe's configuration", file(
        "/modprobe.d", "remove newidle x\noptions newidle engine=gate"), 0,
            "\u00b7  modprobe: its configuration has: options newidle engine=gate")
    changed(t, "modprobe loads something else", file(
        "/modprobe.d", "install newidle /bin/false"), 0,
            "!  modprobe: its configuration has: install newidle /bin/false")
    changed(t, "dkms fails", lambda m: m.fake(
        "dkms", "echo 'Error! It is broken' >&2; exit 1"), 0,
            "-  module: dkms status: Error! It is broken")
    changed(t, "clang", both(file(CONFIG, OPTIONS.replace(
        "gcc-12 (Debian 12.2.0-14+deb12u1) 12.2.0", "Debian clang version "
        "19.1.7 (3+b1)"))), 1, "built by clang 19", "install clang-19")
    changed(t, "no dkms", no_dkms, 1, "\u2717  module: dkms is not installed",
            "Cure: apt-get install dkms")
    changed(t, "no dkms, but installed", both(no_dkms, installed), 0,
            "\u2713  module: /lib/modules/x/newidle.ko, not by DKMS")
    changed(t, "not installed yet", file("/dkms", ""), 0,
            "\u00b7  module: not installed yet.  Cure: make install in")
    changed(t, "packaged, not installed yet", both(file("/dkms", ""), file(
        "/usr/share/doc/newidle-dkms/copyright", "")), 0,
            "not installed yet.  Cure: apt-get install --reinstall newidle-dkms")
    for state, status, words in (
            ("newidle/0.1.0: added", 1, "known to DKMS (added), but not"),
            ("newidle/0.1.0, 6.1.0-9-amd64, x86_64: installed", 1,
             "known to DKMS (installed), but not built for kernel " + K),
            ("newidle/0.1.0, %s, x86_64: built" % K, 1,
             "not installed.  Cure: dkms install newidle/0.1.0 -k " + K),
            ("newidle, 0.1.0, %s, x86_64: installed" % K, 0, "is installed by"),
            ("newidle/0.1.0: broken", 1, "is known to DKMS (broken)"),
            ("newidle/0.0.9, %s, x86_64: installed\nnewidle/0.1.0, %s, x86_64: "
             "built" % (K, K), 0, "newidle 0.0.9 is installed by"),
            ("newidle/0.1.0, %s, x86_64: installed (WARNING! Diff between)" % K,
             0, "!  module: ")):
        changed(t, "DKMS says " + state, file("/dkms", state), status, words)


def enforced(m):
    m.put(LOCKDOWN, "none [integrity] confidentiality")
    m.put(EFI, b"\6\0\0\0\1")
    m.put(KEY, "key")


def mokutil(words):
    return lambda m: m.fake("mokutil", "echo '%s'; exit 1" % words)


def test_signature(t):
    import_it = "mokutil --import /var/lib/dkms/mok.pub, reboot, confirm"
    changed(t, "the key is enrolled", both(enforced, mokutil(
        "x is already enrolled")), 0, "\u2713  signature: modules must be signed "
            "(Secure Boot is on, lockdown is integrity); DKMS's key is enrolled")
    changed(t, "a signed module", both(enforced, installed, mokutil(
        "x is already enrolled")), 0, "\u2713  signature: ")
    changed(t, "a module that is not signed", both(
        enforced, lambda m: installed(m, ""), mokutil("x is already enrolled")),
            1, "and the installed one is not.  Cure: make install")
    changed(t, "another certificate", both(
        enforced, file("/etc/dkms/framework.conf.d/k.conf",
                       'mok_certificate="/etc/my.der"')), 1,
            "no key /etc/my.der", "mokutil --import /etc/my.der")
    changed(t, "the key is not enrolled", both(enforced, mokutil(
        "x is not enrolled")), 1, "\u2717  signature: ", "Cure: " + import_it)
    changed(t, "the key waits", both(enforced, mokutil(
        "x is already in the enrollment request")), 1, "reboot, confirm")
    changed(t, "no mokutil", enforced, 0, "-  signature: ", import_it)
    changed(t, "no key yet", both(enforced, missing(KEY)), 1,
            "\u2717  signature: ", "no key " + KEY)
    sig_enforce = "/sys/module/module/parameters/sig_enforce"
    for what, words in (("enrolled", "already enrolled"),
                        ("not enrolled", "not enrolled")):
        changed(t, "sig_enforce without Secure Boot, " + what, both(
            file(sig_enforce, "Y"), file(KEY, ""), mokutil("x is " + words)), 1,
                "module.sig_enforce is on), by a key that is built in",
                "Cure: boot without", absent=["mokutil"])
    changed(t, "sig_enforce with Secure Boot", both(
        file(sig_enforce, "Y"), file(KEY, ""), file(EFI, b"\6\0\0\0\1"),
        mokutil("x is not enrolled")), 1, "module.sig_enforce is on", import_it)
    changed(t, "Secure Boot without lockdown", file(EFI, b"\6\0\0\0\1"), 0,
            "\u2713  signature: Secure Boot is on; modules need not")
    changed(t, "Secure Boot, lockdown can't be seen", both(
        file(EFI, b"\6\0\0\0\1"), missing("/sys/kernel/security")), 0,
            "-  signature: Secure Boot is on; whether", "mount -t securityfs")
    changed(t, "no modules at all", file(
        "/proc/sys/kernel/modules_disabled", "1"), 1,
            "kernel.modules_disabled=1", "Cure: reboot")


def test_engine(t):
    def has(*names, types=None, release=None):
        return both(file("/proc/kallsyms", symbols(*names)),
                    uname(release or K), *([] if types is None else
                                           [file(BTF, types)]))

    changed(t, "inlined", has("sched_balance_rq"), 0,
            "\u2713  engine: probably gate on sched_balance_rq", "proves it")
    changed(t, "no balancer", has("sched_balance_newidle"), 1,
            "\u2717  engine: sched_balance_rq or load_balance is no function")
    changed(t, "only a module's balancer", has("load_balance [other]"), 1,
            "\u2717  engine: ")
    changed(t, "the balancer stands twice", has("load_balance", "load_balance"),
            1, "load_balance is not unique")
    changed(t, "unknown steps", has("load_balance", "newidle_balance",
                                    release="6.6.9"), 1,
            "probably gate on load_balance: the steps of newidle_balance")
    changed(t, "the cost rule, perhaps", has(
        "load_balance", "newidle_balance", types=b"no dice", release="6.6.9"),
            1, "!  engine: probably gate on load_balance; refused if")
    changed(t, "6.1 without dice: not swap", has(
        "load_balance", "newidle_balance", types=b"none", release="6.1.0-9"),
            1, "!  engine: probably gate")
    changed(t, "6.17 without dice: swap", has(
        "sched_balance_rq", "sched_balance_newidle", types=b"none",
        release="6.17.8"), 1, "probably swap of sched_balance_newidle")
    changed(t, "no symbol search", file("/proc/kallsyms", "0 t load_balance"),
            1, "\u2717  engine: the kernel has no kallsyms_on_each_match")
    changed(t, "no symbols at all", missing("/proc/kallsyms"), 0,
            "-  engine: can't be known")
    with Machine() as m:
        t.said("loaded", m.run("check"), 0, "newidle is loaded, state active",
               "engine: gate is in use")


def test_neighbours(t):
    function = PATCHES + "/other/vmlinux/sched_balance_rq,1/stack_order"
    changed(t, "a livepatch on our function", file(function, "1"), 1,
            "\u2717  livepatches: other patches sched_balance_rq too.  Cure: "
            "unload that one first")
    changed(t, "a livepatch on another function", file(
        PATCHES + "/other/vmlinux/sched_balance_rqx,1/nop", "0"), 0,
            "\u2713  livepatches: other: on other functions")
    changed(t, "a livepatch in transition", file(
        PATCHES + "/other/transition", "1"), 1, "other is in transition")
    changed(t, "our own livepatch", file(function.replace(
        "other", "newidle"), "1"), 0, "\u2713  livepatches: no other")
    tracing = "/sys/kernel/tracing/enabled_functions"
    for flags, status in (("R I  ", 1), ("R    ", 0)):
        changed(t, "enabled_functions: " + flags, file(
            tracing, "schedule (1)   I\nsched_balance_rq (1) %s\ttramp: x" %
            flags), status, *["sched_balance_rq is redirected"][:status])
    changed(t, "no tracefs", missing(tracing), 0,
            "-  livepatches: no other; whether")
    changed(t, "tracefs in its old place", both(missing(tracing), file(
        "/sys/kernel/debug/tracing/enabled_functions", "load_balance (1) R I")),
            1, "load_balance is redirected")
    changed(t, "sched_ext", both(file("/sys/kernel/sched_ext/state", "enabled"),
                                 file("/sys/kernel/sched_ext/root/ops", "rusty")),
            0, "\u00b7  sched_ext: rusty is enabled")
    changed(t, "sched_ext is there, but off", file(
        "/sys/kernel/sched_ext/state", "disabled"), 0, absent=["sched_ext"])
    changed(t, "slow transitions", file("/proc/cmdline", "nohz_full=1-3 quiet "
                                        "idle=poll"), 0,
            "\u00b7  boot options: nohz_full=1-3 idle=poll: ")
    for words, status in (("newidle.off=1", 1), ("newidle.off", 1),
                          ("newidle.off=Y newidle.rate=0", 1),
                          ("newidle.off=1 newidle.off=0", 0),
                          ("newidle.rate=1 off=1", 0)):
        changed(t, "kernel command line: " + words, file(
            "/proc/cmdline", words), status,
            *["off: off=1 keeps it out", "modprobe newidle off=0"][:2 * status],
            absent=[] if status else ["keeps it out"])
    changed(t, "modprobe.d", lambda m: m.fake(
        "modprobe", "echo options newidle rate=0 off=1"), 1, "off=1 keeps it out")


def test_other_kernel(t):
    def other(m):
        release = "6.1.0-9-amd64"
        m.put("/lib/modules/%s/build/Makefile" % release, "")
        m.put("/boot/config-" + release, OPTIONS)
        m.put("/boot/System.map-" + release, "0 t load_balance\n0 t x")
        m.put("/dkms", "newidle/0.1.0, %s, x86_64: installed" % release)
        m.put("/proc/sys/kernel/ftrace_enabled", "0")

    ask = ["6.1.0-9-amd64"]
    changed(t, "another kernel", other, 0, "version: 6.1.0-9-amd64",
            "probably gate on load_balance", absent=["ftrace", "livepatches"],
            ask=ask)
    changed(t, "another kernel, Debian's System.map", both(other, file(
        "/boot/System.map-6.1.0-9-amd64",
        "ffffffffffffffff B The real System.map is in the -dbg package")), 0,
            "-  engine: can't be known", ask=ask)
    for name in ("6.2.0", "../x"):
        changed(t, "a kernel that is not there: " + name, other, 2,
                err=["no kernel %s in" % name, "6.1.0-9-amd64 " + K],
                ask=[name])


def test_user(t):
    def hide(m):
        for name in (LOCKDOWN, "/proc/kallsyms", CONFIG,
                     "/sys/kernel/tracing"):
            os.chmod(m.path(name), 0)

    with good_machine() as m:
        hide(m)
        t.said("as a user: no failure", m.run("check", user=NOBODY), 0,
               "-  signature: needs root", "-  engine: needs root",
               "-  CONFIG_LIVEPATCH: needs root", "\u2713  headers: ",
               "-  livepatches: no other; whether")


def main():
    t = Check()
    for test in (test_good, test_kernel, test_building, test_signature,
                 test_engine, test_neighbours, test_other_kernel, test_user):
        test(t)
    return t.done()


sys.exit(main())
