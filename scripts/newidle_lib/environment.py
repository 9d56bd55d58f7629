# SPDX-License-Identifier: GPL-2.0-only
"""What kind of machine this is, for whoever reads the figures later."""

import os
import re

from . import machine

CPUS = "/sys/devices/system/cpu"
# Of the kernel's command line only what matters here: results are shown around.
OPTIONS = re.compile(
    r"(amd_pstate|clocksource|cpuidle\.\S+|idle|intel_idle\.\S+|intel_pstate|"
    r"isolcpus|maxcpus|mitigations|newidle\.\S+|nohz|nohz_full|nosmt|preempt|"
    r"processor\.\S+|psi|rcu_nocbs|relax_domain_level|schedstats|"
    r"skew_tick|threadirqs|transparent_hugepage|tsc)(=\S*)?")


def kernel():
    return machine.read("/proc/sys/kernel/osrelease") or \
        machine.output("uname", "-r")


def cpu_model():
    match = re.search(r"^model name\s*: *(.*)$",
                      machine.read("/proc/cpuinfo") or "", re.M)
    return match.group(1) if match else None


def distinct(name):
    """How many values a file has over all CPUs; None if unknown."""
    found = set()
    for cpu in machine.names(CPUS):
        if re.fullmatch(r"cpu\d+", cpu):
            found.add(machine.read("%s/%s/%s" % (CPUS, cpu, name)))
    found.discard(None)
    return len(found) or None


def topology():
    """Numbers of sockets and so on; None where unknown."""
    cpus = len([n for n in machine.names(CPUS) if re.fullmatch(r"cpu\d+", n)])
    nodes = [n for n in machine.names("/sys/devices/system/node")
             if re.fullmatch(r"node\d+", n)]
    caches = None
    for index in ("index3", "index2"):
        caches = caches or distinct("cache/%s/shared_cpu_list" % index)
    return {"nodes": len(nodes) or None,
            "sockets": distinct("topology/physical_package_id"),
            "last-level caches": caches,
            "cores": distinct("topology/thread_siblings_list"),
            "CPUs": cpus or os.cpu_count()}


def topology_words():
    return ", ".join("%s %s" % (count, what)
                     for what, count in topology().items() if count)


def everything():
    """For JSON."""
    def file(name):
        try:
            return machine.read(name)
        except PermissionError:
            return None

    governors = {file("%s/%s/cpufreq/scaling_governor" % (CPUS, cpu))
                 for cpu in machine.names(CPUS) if re.fullmatch(r"cpu\d+", cpu)}
    return {
        "kernel": kernel(), "kernel_version": file("/proc/version"),
        "options": [word for word in (file("/proc/cmdline") or "").split()
                    if OPTIONS.fullmatch(word)],
        "tainted": file("/proc/sys/kernel/tainted"),
        "cpu": cpu_model(), "topology": topology(),
        "governors": sorted(g for g in governors if g),
        "turbo_off": file(CPUS + "/intel_pstate/no_turbo"),
        "boost": file(CPUS + "/cpufreq/boost"),
        "smt": file(CPUS + "/smt/control"),
        "clocksource": file("/sys/devices/system/clocksource/clocksource0/"
                            "current_clocksource"),
        "memory": (file("/proc/meminfo") or "").partition("\n")[0] or None,
        "hypervisor": "hypervisor" in (file("/proc/cpuinfo") or ""),
        "newidle": file(machine.KNOBS + "/version"),
        "engine": machine.chosen(file(machine.KNOBS + "/engine")),
        "native": machine.chosen(file(machine.KNOBS + "/native")),
        "python": "%s" % machine.output("python3", "--version"),
    }
