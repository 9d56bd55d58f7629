# SPDX-License-Identifier: GPL-2.0-only
"""newidle check: would it load here, and if not, what would help?"""

import json

from . import building, machine
from .findings import OBSTACLE, good, line, note, obstacle, unknown, warning
from .kernel import BALANCER, NEWIDLE, SEARCH, Kernel
from .machine import FAILED, KNOBS, OK, PATCHES

OLDEST, NEWEST = (6, 1), (7, 3)
TRACING = ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")
# Whose new-idle balance engine swap knows, by whether they have dice.
SWAP_KNOWS = {True: ((6, 1), (6, 12), (6, 18)),
              False: ((6, 12), (6, 16), (6, 17))}


def is_loaded():
    return machine.exists(KNOBS + "/state")


def loaded(_kernel):
    if is_loaded():
        return note("loaded", "newidle is loaded, state " +
                    (machine.read(KNOBS + "/state") or "-"))
    return None


def architecture(kernel):
    if kernel.is_running:
        name = machine.uname("-m")
        if not name:
            return unknown("architecture", "uname does not tell")
    else:
        config = kernel.config()
        if config is None:
            return unknown("architecture", "no configuration of this kernel")
        name = "x86_64" if "CONFIG_X86_64" in config else "another one"
    if name == "x86_64":
        return good("architecture", "x86-64")
    return obstacle("architecture", "%s, not x86-64" % name,
                    "none: x86-64 only")


def version(kernel):
    have = kernel.version()
    if not have:
        return warning("version", "%s tells none" % kernel.release)
    if have < OLDEST:
        return obstacle("version", "%s is older than 6.1" % kernel.release,
                        "boot a newer kernel")
    if have > NEWEST:
        return warning("version", "%s is newer than 7.3, the newest that was "
                       "tested" % kernel.release)
    return good("version", kernel.release)


def option(name):
    def check(kernel):
        config = kernel.config()
        if config is None:
            return unknown(name, "no configuration of this kernel")
        if config.get(name) == "y":
            return good(name, "y")
        return obstacle(name, "the kernel is built without it",
                        "boot a kernel that has it")
    return check


def types(kernel):
    if kernel.is_running and machine.exists("/sys/kernel/btf/vmlinux"):
        return good("CONFIG_DEBUG_INFO_BTF", "/sys/kernel/btf/vmlinux")
    return option("CONFIG_DEBUG_INFO_BTF")(kernel)


def ftrace(_kernel):
    switch = machine.read("/proc/sys/kernel/ftrace_enabled")
    if switch is None:
        return unknown("ftrace", "no /proc/sys/kernel/ftrace_enabled")
    if switch == "0":
        return obstacle("ftrace", "it is switched off",
                        "sysctl kernel.ftrace_enabled=1")
    return good("ftrace", "not switched off")


def engine(kernel):
    if kernel.is_running and is_loaded():
        return good("engine", "%s is in use" %
                    (machine.read(KNOBS + "/engine") or "-"))
    count = kernel.symbols()
    if count is None:
        return unknown("engine", "can't be known: no list of this kernel's "
                       "symbols; the module proves it at load")
    if kernel.is_running and not count[SEARCH]:
        return obstacle("engine", "the kernel has no %s: too old (6.1.60 has "
                        "it) or built without kprobes" % SEARCH,
                        "boot a newer kernel")
    balancer = present(count, BALANCER)
    if count.get(balancer) != 1:
        return obstacle("engine", "%s is %s: refused" % (
            balancer or " or ".join(BALANCER),
            "not unique" if balancer else "no function of this kernel"),
            "boot another kernel")
    return probable_engine(kernel, count, balancer)


def present(count, wanted):
    """The name that the kernel has, newest first; None if it has neither."""
    return next((name for name in wanted if count[name]), None)


def probable_engine(kernel, count, balancer):
    """It takes more to be sure than can be seen from outside."""
    newidle = present(count, NEWIDLE)
    dice = kernel.has_dice()
    proof = "; the module proves it at load"
    if not newidle:
        return good("engine", "probably gate on %s: new-idle balance is no "
                    "function of its own here%s" % (balancer, proof))
    knows = kernel.version() in (SWAP_KNOWS[True] + SWAP_KNOWS[False]
                                 if dice is None else SWAP_KNOWS[dice])
    if count[newidle] == 1 and knows:
        return good("engine", "probably swap of %s, whose steps are known%s" %
                    (newidle, proof))
    if dice is False:
        return warning("engine", "probably gate on %s; refused if this kernel "
                       "books 3/2 of the highest cost for a failed pull "
                       "(README, Limits)%s" % (balancer, proof))
    return good("engine", "probably gate on %s: the steps of %s are not known "
                "for this kernel%s" % (balancer, newidle, proof))


def patched():
    """(livepatch, function) for each function of ours that others patch."""
    for patch in machine.names(PATCHES):
        if patch == "newidle":
            continue
        for entry in machine.names("%s/%s/vmlinux" % (PATCHES, patch)):
            function = entry.partition(",")[0]
            if function in NEWIDLE + BALANCER:
                yield patch, function


def redirected():
    """A function of ours whose calls somebody leads elsewhere, "" if none.

    None if that can't be seen: not as root, or tracefs is not mounted.
    """
    for folder in TRACING:
        try:
            text = machine.read(folder + "/enabled_functions")
        except PermissionError:
            return None
        if text is not None:
            break
    else:
        return None
    for words in map(str.split, text.splitlines()):
        # Name, number of users, flags: I is for one who changes the address.
        if words and words[0] in NEWIDLE + BALANCER and "I" in words[2:8]:
            return words[0]
    return ""


def livepatches(_kernel):
    others = [p for p in machine.names(PATCHES) if p != "newidle"]
    for patch, function in patched():
        return obstacle("livepatches", "%s patches %s too" % (patch, function),
                        "unload that one first")
    for patch in others:
        if machine.read("%s/%s/transition" % (PATCHES, patch)) == "1":
            return obstacle("livepatches", "%s is in transition" % patch,
                            "wait until it is done")
    words = "%s: on other functions" % " ".join(others) if others else "no other"
    function = "" if is_loaded() else redirected()
    if function is None:
        return unknown("livepatches", words + "; whether something else leads "
                       "our functions' calls elsewhere needs root and tracefs")
    if function:
        return obstacle("livepatches", "%s is redirected by somebody, see "
                        "/sys/kernel/tracing/enabled_functions (flag I)" %
                        function, "remove that one first")
    return good("livepatches", words)


def configuration(_kernel):
    """What modprobe is told of it beside our own line."""
    done = machine.tool("modprobe", "--showconfig")
    if not done:
        return obstacle("modprobe", "not there, or does not answer",
                        "apt-get install kmod")
    lines = [line for line in done[1].splitlines()
             if "newidle" in line.split() and not line.startswith("remove ")]
    if any(line.startswith("install ") for line in lines):
        return warning("modprobe", "its configuration has: " + "; ".join(lines),
                       "take that out of /etc/modprobe.d")
    if lines:
        return note("modprobe", "its configuration has: " + "; ".join(lines))
    return good("modprobe", "no configuration of its own")


def sched_ext(_kernel):
    state = machine.read("/sys/kernel/sched_ext/state")
    if state in (None, "disabled"):
        return None
    name = machine.read("/sys/kernel/sched_ext/root/ops")
    return note("sched_ext", "%s is %s: its tasks are not of the fair class, so "
                "newidle does not move them" % (name or "a scheduler", state))


def boot_options(_kernel):
    words = (machine.read("/proc/cmdline") or "").split()
    found = [w for w in words if w.startswith("nohz_full=") or w == "idle=poll"]
    if not found:
        return None
    return note("boot options", "%s: the livepatch may take long to become "
                "active" % " ".join(found))


# As the kernel reads a bool.
TRUE = ("1", "y", "Y", "t", "T", "on", "ON", "On")


def kept_out(_kernel):
    """off=1, by /etc/modprobe.d or the kernel's command line; the last counts."""
    words = []
    for text in (machine.output("modprobe", "-c") or "").splitlines():
        if text.startswith("options newidle "):
            words += text.split()[2:]
    for word in (machine.read("/proc/cmdline") or "").split():
        if word.startswith("newidle."):
            words.append(word[len("newidle."):])
    offs = [w.partition("=")[2] or "1" for w in words
            if w.partition("=")[0] == "off"]
    if not offs or offs[-1] not in TRUE:
        return None
    return obstacle("off", "off=1 keeps it out", "take newidle.off from the "
                    "kernel command line, or off from /etc/modprobe.d, or for "
                    "once: modprobe newidle off=0")


# Some only make sense for the running kernel; None tells of nothing to say.
CONDITIONS = (
    ("loaded", loaded, True),
    ("off", kept_out, True),
    ("architecture", architecture, False),
    ("version", version, False),
    ("CONFIG_LIVEPATCH", option("CONFIG_LIVEPATCH"), False),
    ("CONFIG_DEBUG_INFO_BTF", types, False),
    ("CONFIG_KPROBES", option("CONFIG_KPROBES"), False),
    ("ftrace", ftrace, True),
    ("headers", building.headers, False),
    ("compiler", building.building_compiler, False),
    ("module", building.module, False),
    ("modprobe", configuration, False),
    ("signature", building.signature, False),
    ("engine", engine, False),
    ("livepatches", livepatches, True),
    ("sched_ext", sched_ext, True),
    ("boot options", boot_options, True),
)


def examine(kernel):
    for name, condition, running_only in CONDITIONS:
        if running_only and not kernel.is_running:
            continue
        try:
            finding = condition(kernel)
        except PermissionError:
            finding = unknown(name, "needs root")
        if finding:
            yield finding


def check(options):
    kernel = Kernel(options.kernel)
    findings = []
    for finding in examine(kernel):
        findings.append(finding)
        if not options.json:
            print(machine.printable(line(finding)), flush=True)
    hindered = any(f.verdict == OBSTACLE for f in findings)
    if options.json:
        print(json.dumps({"kernel": kernel.release,
                          "running": kernel.is_running,
                          "loadable": not hindered,
                          "installed": bool(building.installed_module(kernel)),
                          "conditions": [f._asdict() for f in findings]}))
    return FAILED if hindered else OK
