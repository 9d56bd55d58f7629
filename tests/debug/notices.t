#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The debug kernels report what they are for, after newidle came and went too.

A guest for each row of guests() commits faults (vm/modules/nib_fault.c), or loads a
newidle that has one: each must be in the kernel's log at its place, as a line
that the judge takes for trouble, and before the first there must be none.
Guests of 6.12-debug, or of the kernels in the environment variable KERNELS.
"""

import os
import re
import sys

sys.dont_write_bytecode = True
BED = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + "/bed"
sys.path[:0] = BED, BED + "/../style"
import judge
from tap import Tap, script_module

guest = script_module(BED + "/guest")

HEAD = "#!/bin/sh\n# smp: 2,sockets=2\n# timeout: 300\n"
NEWIDLE = "check load newidle-load\nload 1 40\ncheck unload modprobe -r newidle\n"
# Its own words in the kernel's log, around each fault.
BEGIN, END = "nib_fault: begin ", "nib_fault: end "
COMMIT = """echo "<5>%s{0}" > /dev/kmsg
{1}
echo "<5>%s{0}" > /dev/kmsg
""" % (BEGIN, END)
FAULT = "check {0} sh -c 'echo {0} > /sys/module/nib_fault/parameters/fault'"
MUTANT = """check insmod insmod /test/{0}/newidle.ko policy=always
check active wait_for 120 state_is active
load 1 40
newidle-unload > /dev/null"""

# What the kernel must say of each fault.
REPORTS = {
    "atomic-sleep": "BUG: sleeping function called from invalid context",
    "preempt": "BUG: using smp_processor_id\\(\\) in preemptible",
    "rcu": "suspicious RCU usage",
    "object": "ODEBUG: free active",
    "lock-order": "possible circular locking dependency",
    "lock-nesting": "Invalid wait context",
    "lock-in-irq": "inconsistent lock state",
    "use-after-free": "BUG: KASAN: .*use-after-free in .*\\[nib_fault\\]",
    "race": "BUG: KCSAN: data-race in .*\\[nib_fault\\]",
    "no-rcu": "suspicious RCU usage",
}
# What the kernel's checker of memory is to find.
MEMORY = {"debug": "use-after-free", "kcsan": "race"}


def guests(memory):
    """Faults of each guest: lockdep reports one; what KASAN found switches it off."""
    return (("atomic-sleep", "preempt", "rcu", "object", "lock-order", memory),
            ("lock-nesting", ), ("lock-in-irq", ), ("no-rcu", ))


def script(faults):
    """A guest's: newidle, then each fault between its two lines."""
    text = HEAD + NEWIDLE
    if faults[0] in ("no-rcu", ):
        return text + COMMIT.format(faults[0], MUTANT.format(faults[0]))
    text += "check module insmod /test/nib_fault.ko\n"
    return text + "".join(COMMIT.format(f, FAULT.format(f)) for f in faults)


def between(lines, begin, end):
    """The lines from one that has these words to the next that has those."""
    at = [n for n, line in enumerate(lines) if begin in line]
    to = [n for n, line in enumerate(lines) if end in line]
    if not at:
        return []
    return lines[at[0]:to[0] if to else len(lines)]


def look(count, kernel, faults):
    """One guest, and what its kernel said."""
    run = guest.run(kernel, script(faults))
    tail = run.kernel[-60:]
    first = between(run.kernel, "", BEGIN)
    count.result(first and not judge.troubles(first),
                 "%s: nothing is reported of newidle's load and unload" % kernel,
                 judge.troubles(first) or tail)
    for fault in faults:
        log = between(run.kernel, BEGIN + fault, END + fault)
        seen = [line for line in judge.troubles(log)
                if re.search(REPORTS[fault], line)]
        count.result(seen, "%s reports: %s" % (kernel, fault), log[-60:] or tail)
        for line in seen[:1]:
            print("# " + line)
    bad = [line for line in run.spoken if line.startswith("not ok")]
    count.result(run.ended() and run.powered_off() and not bad,
                 "%s: the guest did all of it: %s" % (kernel, " ".join(faults)),
                 bad or run.spoken[-20:] + tail)
    lines, good = judge.tap(run)
    wrong = [line for line in lines if line.startswith("not ok")]
    count.result(not good and len(wrong) == 1 and "kernel's log" in wrong[0],
                 "%s: and fails for its kernel's log alone" % kernel, wrong)


def main():
    count = Tap()
    for kernel in os.environ.get("KERNELS", "").split() or ["6.12-debug"]:
        for faults in guests(MEMORY[kernel.rsplit("-", 1)[-1]]):
            look(count, kernel, faults)
    return count.done()


sys.exit(main())
