#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A guest that is not well must fail its test: prove that the judge sees it."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
LOADER = importlib.machinery.SourceFileLoader("guest", HERE + "/guest")
guest = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("guest", LOADER))
LOADER.exec_module(guest)

BAD_LINES = [
    "[   12.345678] BUG: kernel NULL pointer dereference, address: 00000010",
    "[   12.345678] BUG: scheduling while atomic: swapper/1/0/0x00000002",
    "[   12.345678] WARNING: CPU: 1 PID: 17 at kernel/sched/sched.h:1685",
    "[   12.345678] WARNING: possible circular locking dependency detected",
    "[   12.345678] Oops: general protection fault, probably for address",
    "[   12.345678] Call Trace:",
    "[   12.345678] Kernel panic - not syncing: Fatal exception",
    "[   12.345678] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
    "[   12.345678] rcu: INFO: rcu_sched self-detected stall on CPU",
    "[   12.345678] watchdog: BUG: soft lockup - CPU#2 stuck for 26s!",
    "[   12.345678] NMI watchdog: Watchdog detected hard LOCKUP on cpu 3",
    "[   12.345678] INFO: task modprobe:123 blocked for more than 120 seconds.",
    "[   12.345678] traps: general protection fault ip:ffffffff81000000",
]
GOOD_LINES = [
    "[    0.000000] calibrate_delay_direct() failed for loops_per_jiffy.",
    "[    0.000000] Kernel command line: oops=panic softlockup_panic=1",
    "[    5.632732] newidle: 0.1.0: engine gate on sched_balance_rq",
    "[    6.754101] livepatch: 'newidle': patching complete",
    "[    5.387893] newidle: tainting kernel with TAINT_LIVEPATCH",
    "[    7.146637] hrtimer: interrupt took 25109740 ns",
]

# What the guest does, and which of the judge's tests must fail for it.
SICK = [
    ("panics", "ok alive; echo c > /proc/sysrq-trigger; sleep 20",
     ["came to its end", "no warning", "powered off"]),
    ("hangs", "ok alive; sleep 1000",
     ["came to its end", "powered off"]),
    ("does not power off", "ok alive; echo 'newidle-guest: the script has "
     "ended (0)'; trap '' TERM; sleep 1000", ["powered off"]),
    ("warns", "ok alive; echo '<4>WARNING: from the test' > /dev/kmsg",
     ["no warning"]),
    ("runs no test", "echo nothing", ["ran tests"]),
    ("says not ok", "not_ok alive", []),
]

number = 0
failed = 0


def result(passed, what):
    global number, failed
    number += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {what}", flush=True)


def main():
    for line in BAD_LINES:
        result(guest.troubles([line]), f"seen: {line[15:]}")
    for line in GOOD_LINES:
        result(not guest.troubles([line]), f"harmless: {line[15:]}")

    series = sorted(os.listdir(guest.STATE + "/kernels"))[-1]
    for what, script, tests in SICK:
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as case:
            case.write("#!/bin/sh\n# timeout: 45\n# smp: 2\n" + script + "\n")
            case.flush()
            run = subprocess.run([HERE + "/guest", series, case.name],
                                 stdout=subprocess.PIPE, text=True,
                                 check=False)
        bad = [line for line in run.stdout.splitlines()
               if line.startswith("not ok")]
        result(run.returncode == 1 and bad
               and all(any(t in line for line in bad) for t in tests),
               f"a guest that {what} fails its test")
        if not tests:
            result(len(bad) == 1, "and that one alone")
    print(f"1..{number}")
    sys.exit(failed != 0)


main()
