#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What newidle bench reads from what its workloads say."""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from command import Check, Machine, built_tools

# As schbench ends, with a look in between.
SCHBENCH = """\
Wakeup Latencies percentiles (usec) runtime 10 (s) (61342 total samples)
\t  50.0th: 9          (20114 samples)
\t  90.0th: 41         (24015 samples)
\t* 99.0th: 812        (5380 samples)
\t  99.9th: 3540       (551 samples)
\t  min=1, max=8123
Request Latencies percentiles (usec) runtime 10 (s) (61398 total samples)
\t* 99.0th: 15216      (5511 samples)
\t  min=4207, max=31744
RPS percentiles (requests) runtime 10 (s) (11 total samples)
\t* 50.0th: 6120       (4 samples)
\t  min=5987, max=6233
current rps: 6204.31
sched delay: message 14 (usec) worker 220 (usec)
%s
RPS percentiles (requests) runtime 12 (s) (13 total samples)
\t* 50.0th: 6120       (5 samples)
\t  min=5987, max=6233
%s
sched delay: message 15 (usec) worker 223 (usec)
"""
# Its last line counts whole seconds.
SEMBENCH = """\
160 threads, waking 20 at a time
using futex sem operations
main thread burns: 118840
worker burn count total 2210370 min 13204 max 14377 avg 13814.813 +- 0.117%
run time 2 seconds 1105185 worker burns per second
"""


def test_workloads(t):
    from newidle_lib import workloads
    with Machine() as m, tempfile.TemporaryDirectory() as folder:
        os.environ["NEWIDLE_TOOLS"] = built_tools(t, folder)
        for name in ("stress-ng", "hackbench", "fio", "schbench", "sembench"):
            m.fake(name, "")
        with m.inside():
            made = {name: make(4, 1, folder)
                    for name, make in workloads.BUILT_IN.items()}
        terse = ";".join(["3", "fio-3.39", "newidle", "0", "0"] +
                         ["0"] * 41 + ["4096", "712"] + ["9"] * 80)
        for name, said, wanted in (
                ("stress-ng-sock", "stress-ng: metrc: [9] stressor  bogo ops "
                 "real time  usr time  sys time   bogo ops/s  bogo ops/s\n"
                 "stress-ng: metrc: [9] sock    12345     10.01      1.50     "
                 "18.25      1233.27         625.06", 1233.27),
                ("hackbench", "Running in process mode\nTime: 0.853", 0.853),
                ("fio", terse, 712),
                ("schbench", SCHBENCH % ("average rps: 1.00",
                                         "average rps: 6131.42"), 6131.42),
                # Other modes end in other words.
                ("schbench", SCHBENCH % ("", "final rps goal was 6100"), None),
                ("schbench", "avg worker transfer: 43.10 ops/sec 1.20MB/s",
                 None),
                ("sembench", "160 threads, waking 20 at a time", None),
                ("barrier", "steps/s: 12.5", 12.5),
                ("waker", "completions/s: 9", 9),
                ("hackbench", "Time: none", None), ("barrier", "", None),
                ("barrier", "steps/s: 0.00", None)):
            t.same("%s: the figure of %.20s" % (name, said),
                   made[name].figure(said, 1), wanted)
        t.same("sembench: a second of the time that it took",
               made["sembench"].figure(SEMBENCH, 2.5), 2210370 / 2.5)
        t.same("and it is asked for futexes",
               made["sembench"].words[-2:], ["-o", "2"])
        for name in ("barrier", "waker"):
            done = subprocess.run(
                made[name].words[:1] + ["-d", "0.3"], check=False,
                stdout=subprocess.PIPE, text=True)
            t.result(done.returncode == 0 and
                     (made[name].figure(done.stdout, 1) or 0) > 1,
                     name + ": it runs", [done])
            done = subprocess.run(made[name].words[:1] + ["-d", "x"],
                                  check=False, stderr=subprocess.DEVNULL)
            t.same(name + ": wrong use", done.returncode, 2)


def main():
    t = Check()
    test_workloads(t)
    return t.done()


sys.exit(main())
