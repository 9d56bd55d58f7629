#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A guest that is not well must fail its test: prove that the judge sees it."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = HERE, HERE + "/../style"
import judge
from tap import Tap, script_module

guest = script_module(HERE + "/guest")

BAD_LINES = (
    "BUG: kernel NULL pointer dereference, address: 0000000000000010",
    "BUG: scheduling while atomic: swapper/1/0/0x00000002",
    "BUG: unable to handle page fault for address: ffffc90000000000",
    "WARNING: CPU: 1 PID: 17 at kernel/sched/sched.h:1685 assert_clock_updated",
    "WARNING: possible circular locking dependency detected",
    "Oops: general protection fault, probably for non-canonical address",
    "Oops: 0002 [#1] PREEMPT SMP NOPTI",
    "Call Trace:",
    "Kernel panic - not syncing: Fatal exception",
    "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
    "rcu: INFO: rcu_preempt self-detected stall on CPU",
    "rcu: rcu_preempt kthread starved for 5251 jiffies!",
    "watchdog: BUG: soft lockup - CPU#2 stuck for 26s!",
    "NMI watchdog: Watchdog detected hard LOCKUP on cpu 3",
    "INFO: task modprobe:123 blocked for more than 120 seconds.",
    "general protection fault, maybe for address 0x0: 0000 [#1] SMP",
    "traps: newidle-load[77] general protection fault ip:ffffffff81000000",
    "hackbench[99]: segfault at 0 ip 0000000000000000 sp 00007ffd0000 error 14",
    "Out of memory: Killed process 99 (hackbench)",
    "UBSAN: array-index-out-of-bounds in kernel/sched/fair.c:1:2",
    "refcount_t: underflow; use-after-free.",
    "BUG: KASAN: slab-use-after-free in use_after_free+0x6b/0xa0 [nib_fault]",
    "BUG: KASAN: wild-memory-access in newidle_swap+0x10/0x20 [newidle]",
    "BUG: KCSAN: data-race in race [nib_fault] / race_on [nib_fault]",
    "BUG: KCSAN: data-race in newidle_swap [newidle] / task_tick_fair",
    "BUG: KCSAN: data-race in task_tick_fair / newidle_swap [newidle]",
    "BUG: KMSAN: uninit-value in newidle_stats_show+0x10/0x20 [newidle]",
    "kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
    "WARNING: suspicious RCU usage",
    "WARNING: inconsistent lock state",
    "WARNING: possible recursive locking detected",
    "WARNING: possible irq lock inversion dependency detected",
    "WARNING: HARDIRQ-safe -> HARDIRQ-unsafe lock order detected",
    "WARNING: bad unlock balance detected!",
    "WARNING: Nested lock was not taken",
    "WARNING: held lock freed!",
    "WARNING: lock held when returning to user space!",
    "[ BUG: Invalid wait context ]",
    "BUG: MAX_LOCKDEP_CHAINS too low!",
    "INFO: trying to register non-static key.",
    "turning off the locking correctness validator.",
    "DEBUG_LOCKS_WARN_ON(chain->depth + chain->base > nr_chain_hlocks)",
    "BUG: sleeping function called from invalid context at nib_fault.c:33",
    "BUG: using smp_processor_id() in preemptible [00000000] code: sh/77",
    "ODEBUG: free active (active state 0) object: ffff888005a1b400 object type: timer_list",
    "Kernel panic - not syncing: corrupted stack end detected inside scheduler",
    # The words that tell, whatever stands before them.
    "6.12: suspicious RCU usage",
    "possible circular locking dependency detected",
    "inconsistent lock state",
)
GOOD_LINES = (
    "Kernel command line: oops=panic softlockup_panic=1 hung_task_panic=1",
    "debug: unmapping init [mem 0xffffffff82a00000-0xffffffff82bfffff]",
    "newidle: 0.1.0: engine gate on sched_balance_rq",
    "newidle: loading out-of-tree module taints kernel.",
    "livepatch: enabling patch 'newidle'",
    "newidle: tainting kernel with TAINT_LIVEPATCH",
    "BUG: KCSAN: data-race in task_tick_fair / update_blocked_averages",
    "hrtimer: interrupt took 25109740 ns",
    "clocksource: Marking clocksource 'tsc' as unstable",
    "rcu: Hierarchical SRCU implementation.",
    "Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar",
    "... MAX_LOCKDEP_SUBCLASSES:  8",
    "Running RCU self tests",
    "Running RCU synchronous self tests",
    "rcu: \tRCU lockdep checking is enabled.",
    "kasan: KernelAddressSanitizer initialized",
    "kcsan: enabled early",
    "kcsan: strict mode configured",
    "reboot: Power down",
)

HEAD = "#!/bin/sh\n# smp: 2\n# memory: 512M\n# timeout: 180\n"
POWEROFF = "rm /bin/poweroff\nprintf '#!/bin/sh\\n%s\\n' > /bin/poweroff\n" \
           "chmod +x /bin/poweroff\nok alive"
END, LOG, OFF = "script came to its end", "kernel's log", "powered off"
# What a guest's script does, and which tests must fail then, and no others.
SCRIPTS = (
    ("is well", "ok alive", ()),
    ("says not ok", "not_ok alive", ("alive", )),
    ("skips a test", "ok 'alive # SKIP no time'", ("alive", )),
    ("runs no test", "echo nothing", ("has tests", )),
    ("stops early with status 0", "ok alive\nexit 0\nnot_ok dead", (END, )),
    ("has a syntax error", "ok alive\nif", (END, )),
    ("calls what is not there", "ok alive\n. ./nothing\nok alive", (END, )),
    ("hangs", "ok alive\nwhile :; do sleep 1; done", (END, OFF)),
    ("does not power off", POWEROFF % "exec sleep 1000", (OFF, )),
    ("reboots", POWEROFF % "exec reboot -f", (OFF, )),
    ("panics", "ok alive\necho c > /proc/sysrq-trigger\nsleep 60",
     (END, LOG, OFF)),
    ("loses its init", POWEROFF % "exit", (LOG, OFF)),
    ("warns", "ok alive\necho '<4>WARNING: from a test' > /dev/kmsg", (LOG, )),
    ("prints a kernel's words itself", "ok alive\ndiag 'Call Trace: BUG:'", ()),
)


def failing(script, series):
    """The test lines of a guest, and those that failed."""
    lines, good = judge.tap(guest.run(series, HEAD + script + "\n"))
    bad = [line for line in lines if line.startswith("not ok")]
    return lines, bad, good


def main():
    count = Tap()
    for line in BAD_LINES:
        count.result(judge.troubles(["[   12.345678] " + line]),
                     "seen: " + line)
    for line in GOOD_LINES:
        count.result(not judge.troubles(["[   12.345678] " + line]),
                     "harmless: " + line)

    with open(HERE + "/kernels.list", encoding="utf-8") as f:
        series = [line.split()[0] for line in f if "\tcore" in line][0]
    # Several at a time: most of them do nothing but wait.
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(failing, script, series)
                for _, script, _ in SCRIPTS]
        for (what, _, wanted), run in zip(SCRIPTS, runs):
            lines, bad, good = run.result()
            count.result(
                good == (not wanted) and len(bad) == len(wanted) and
                all(any(w in line for line in bad) for w in wanted),
                "a guest that %s: %s" % (
                    what, "fails: " + ", ".join(wanted) if wanted else "passes"),
                lines)
    return count.done()


sys.exit(main())
