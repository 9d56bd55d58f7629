# SPDX-License-Identifier: GPL-2.0-only
"""One run of a workload, and what the machine and newidle did meanwhile."""

import os
import re
import resource
import subprocess
import tempfile
import time

from . import domains, machine
from .domains import minus, plus
from .variants import end_group

COUNTED = domains.COUNTERS + ("over_budget", )


class Sample:
    """Counters at a moment."""

    def __init__(self):
        self.rows = domains.read_table()
        self.time = time.monotonic()
        text = machine.read("/proc/stat") or ""
        switches = re.search(r"^ctxt (\d+)", text, re.M)
        self.switches = int(switches.group(1)) if switches else None
        cpu = re.search(r"^cpu +(.*)$", text, re.M)
        times = [int(t) for t in cpu.group(1).split()] if cpu else []
        # user, nice, system, idle, iowait, irq, softirq
        self.busy = sum(times[:3] + times[5:7]) if len(times) >= 7 else None


def by_level(before, after):
    """What each level counted meanwhile."""
    found = {}
    for level, label in domains.labels(after).items():
        pairs = [(before.get(key, {}), row) for key, row in after.items()
                 if key[0] == level]
        found[label] = {c: plus(minus(row.get(c), old.get(c, 0))
                                for old, row in pairs) for c in COUNTED}
    return found


def lowest_costs(rows):
    """What the kernel takes an attempt at each CPU's lowest domain to cost."""
    found = {}
    for (_, cpu), row in sorted(rows.items(), reverse=True):
        found[cpu] = row.get("kernel_max_ns")
    return {cpu: cost for cpu, cost in found.items() if cost is not None}


def too_dear():
    """On which share of CPUs an attempt costs more than they idle on average,
    now; None if that can't be known."""
    text = machine.read("/sys/kernel/debug/sched/debug") or ""
    idle = {int(cpu): int(ns) for cpu, ns in re.findall(
        r"^cpu#(\d+).*?^ *\.avg_idle *: *(\d+)", text, re.M | re.S)}
    costs = lowest_costs(domains.read_table())
    both = [cpu for cpu in costs if cpu in idle]
    return sum(costs[c] > idle[c] for c in both) / len(both) if both else None


def kept_away(levels, dear):
    """In which share of passes the kernel's cost test came before the policy;
    None if that can't be known.  dear: what too_dear() said meanwhile."""
    over = plus(f["over_budget"] for f in levels.values())
    calls = plus(f["calls"] for f in levels.values())
    if over and calls is not None:
        return over / (over + calls)
    # Engine gate does not see these passes.
    return dear


class Counter:
    """perf counts migrations, where there is perf."""

    def __init__(self):
        self.perf = machine.find_tool("perf")
        done = machine.tool("perf", "stat", "-a", "-x", ",", "-e",
                            "cpu-migrations", "true") if self.perf else None
        if not done or done[0] != 0:
            self.perf = None

    def words(self, words, file):
        if not self.perf:
            return words
        return [self.perf, "stat", "-a", "-x", ",", "-e", "cpu-migrations",
                "-o", file, "--", *words]

    def migrations(self, file):
        if not self.perf:
            return None
        with open(file, encoding="utf-8", errors="replace") as f:
            found = re.search(r"^(\d+),[^,]*,cpu-migrations", f.read(), re.M)
        return int(found.group(1)) if found else None


def run(workload, counter, keeper, look, timeout):
    """A dict; its figure is None if the run failed, and then error tells why."""
    with tempfile.TemporaryDirectory() as folder:
        result = {"figure": None, "error": None}
        before = Sample()
        dear = []
        status, said, usage = watch(workload.words, counter, keeper, look,
                                    timeout, folder, dear)
        after = Sample()
        result["seconds"] = after.time - before.time
        result["migrations"] = counter.migrations(folder + "/perf")
    result["context_switches"] = minus(after.switches, before.switches)
    busy = minus(after.busy, before.busy)
    result["machine_cpu_s"] = None if busy is None else \
        busy / os.sysconf("SC_CLK_TCK")
    result["workload_cpu_s"] = usage
    result["levels"] = by_level(before.rows, after.rows)
    # A short run is over before it is looked at.
    result["kept_away"] = kept_away(result["levels"],
                                    dear[0] if dear else too_dear())
    if status is None:
        result["error"] = "it took longer than %g s" % timeout
    elif status:
        result["error"] = "it ended with status %d" % status
    else:
        result["figure"] = workload.figure(said, result["seconds"])
        if result["figure"] is None:
            result["error"] = "no figure above 0 is in what it said"
    if result["error"]:
        result["said"] = said[-2000:]
    return result


def children_cpu():
    """CPU seconds of processes that were waited for; os.times() would round
    short runs to 0."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def watch(words, counter, keeper, look, timeout, folder, dear):
    """(exit status or None if it took too long, what it said, CPU seconds)

    dear: gets what too_dear() says while it runs; once, as it takes time.
    """
    with open(folder + "/said", "w+b") as said:
        with keeper.calm():
            process = subprocess.Popen(
                counter.words(words, folder + "/perf"), cwd=folder,
                stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                start_new_session=True)
        used, status = children_cpu(), None
        try:
            until = time.monotonic() + timeout
            while time.monotonic() < until and status is None:
                try:
                    # Seldom, as each look is a load too.
                    status = process.wait(0.5)
                except subprocess.TimeoutExpired:
                    look()
                    if not dear:
                        dear.append(too_dear())
        finally:
            end_group(process)
        used = children_cpu() - used
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    return status, text, used
