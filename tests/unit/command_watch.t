#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""newidle watch: what is computed, lines, and what can't be read."""

import json
import os
import sys
from types import SimpleNamespace

sys.dont_write_bytecode = True
from command import DEBUG, HEAD, KNOBS, NOBODY, Check, Machine
from newidle_lib import domains, watch
from newidle_lib.machine import Failure

FEW = "cpu level name calls attempts skips pulls cost_ns"


def table(head, *rows):
    return domains.parse("\n".join(["# " + head, *rows]))


def levels(before, after, seconds=2.0, cpus=4):
    found, is_reset = domains.by_level(before, after, seconds, cpus)
    return {f["level"]: f for f in found}, is_reset


def test_figures(t):
    before = table(HEAD, "0 0 0 SMT 2 100 100 0 0 0 512 0 0",
                   "1 0 0 SMT 2 0 0 0 0 0 512 0 0",
                   "0 1 1 MC 4 0 0 0 0 0 512 0 0")
    after = table(HEAD, "0 0 0 SMT 2 300 150 150 10 4000000 9 0 0",
                  "1 0 0 SMT 2 200 100 100 20 4000000 9 40 9",
                  "0 1 1 MC 4 0 0 0 0 0 512 0 0",
                  "1 1 1 MC 4 10 10 0 10 1000 512 0 0")
    found, is_reset = levels(before, after)
    t.same("a level's figures, over CPUs", found["SMT"], {
        "level": "SMT", "cpus": 2, "decisions_per_s": 200.0,
        "attempts_per_s": 75.0, "pulls_per_s": 15.0, "skip_pct": 62.5,
        "success_pct": 20.0, "mean_cost_us": 8000 / 190, "cpu_pct": 0.4,
        "all_cpus_pct": 0.1})
    t.same("a domain used for the first time was 0",
           found["MC"]["decisions_per_s"], 5.0)
    t.same("all", (found["all"]["decisions_per_s"], found["all"]["cpus"]),
           (205.0, 2))
    t.same("lowest first, then all", list(found), ["SMT", "MC", "all"])
    t.result(not is_reset, "not reset")
    found, _ = levels(after, after)
    t.same("shares of nothing are unknown", [found["SMT"][f] for f in (
        "decisions_per_s", "skip_pct", "success_pct", "mean_cost_us",
        "cpu_pct")], [0, None, None, None, 0])
    found, _ = levels(after, after, cpus=None)
    t.same("unknown number of CPUs", found["all"]["all_cpus_pct"], None)


def test_unknown(t):
    before = table(FEW, "0 0 SMT - 1 - 1 0", "1 0 SMT 5 1 5 1 0")
    after = table(FEW, "0 0 SMT - 3 - 2 2000", "1 0 SMT 9 3 9 1 2000")
    found, _ = levels(before, after)
    t.same("unknown decisions stay unknown in sums", [
        found[of][f] for of in ("SMT", "all")
        for f in ("decisions_per_s", "skip_pct")], [None] * 4)
    t.same("attempts are known all the same", [
        found["SMT"][f] for f in ("attempts_per_s", "success_pct",
                                  "mean_cost_us")], [2.0, 25.0, 1.0])
    before = table(FEW + " retries", "0 0 SMT - 1 - 1 0 -")
    after = table(FEW + " retries", "0 0 SMT - 3 - 2 2000 4")
    t.same("unknown retries: no mean cost",
           levels(before, after)[0]["SMT"]["mean_cost_us"], None)


def test_columns(t):
    shuffled = "over_budget name pulls level mean_ns cpu skips attempts calls"
    before = table(shuffled, "1.5 SMT 0 0 - 0 0 0 0")
    after = table(shuffled, "9 SMT 1 0 x 0 3 4 7")
    found, _ = levels(before, after, 1.0)
    t.same("columns in another order, new ones among them", [
        found["SMT"][f] for f in ("decisions_per_s", "attempts_per_s",
                                  "pulls_per_s")], [7.0, 4.0, 1.0])
    t.same("a column that is not there is unknown",
           found["SMT"]["cpu_pct"], None)
    numa = table(FEW, "0 2 NUMA 1 1 1 1 1", "0 3 NUMA 1 1 1 1 1",
                 "0 0 MC 1 1 1 1 1", "1 2 NUMA 1 1 1 1 1")
    t.same("a name that stands twice", list(levels(numa, numa)[0]),
           ["MC", "NUMA:2", "NUMA:3", "all"])
    for what, text in (("empty", ""), ("no head", "0 0 SMT 1"),
                       ("no names in it", "# calls attempts\n1 2"),
                       ("a short line", "# cpu level name calls\n0 0 SMT")):
        try:
            domains.parse(text)
            t.result(False, "a table that is no table: " + what)
        except Failure as failure:
            t.same("a table that is no table: " + what, failure.status, 1)


def test_reset(t):
    before = table(FEW, "0 0 SMT 100 50 50 9 10000")
    less = table(FEW, "0 0 SMT 900 1 899 9 20000")
    found, is_reset = levels(before, less)
    t.result(is_reset, "one counter went back: reset")
    t.same("reset: nothing is known of that interval", [
        found["SMT"][f] for f in ("decisions_per_s", "cpu_pct")], [None] * 2)
    gone = table(FEW, "1 0 SMT 900 100 899 9 20000")
    t.result(levels(before, gone)[1], "a row is gone: reset")
    unknown = table(FEW, "0 0 SMT - 60 - 9 20000")
    t.result(not levels(before, unknown)[1], "unknown now: not reset")


def lines_of(m, steps, **more):
    """What watch prints; each step is done while it waits."""
    steps = list(steps)
    options = SimpleNamespace(interval=1.0, count=len(steps),
                              **dict({"json": False}, **more))
    real, watch.time.sleep = watch.time.sleep, lambda _: steps.pop(0)()
    try:
        with m.inside() as printed:
            try:
                return watch.run(options), printed.getvalue(), ""
            except Failure as failure:
                return failure.status, printed.getvalue(), str(failure)
    finally:
        watch.time.sleep = real


def count(m, calls, attempts="-"):
    return lambda: m.table(FEW, "0 0 SMT %s %s %s 0 0" %
                           (calls, attempts, calls))


def test_lines(t):
    with Machine() as m:
        count(m, 100)()
        result = lines_of(m, [count(m, 200), count(m, 200), count(m, 5),
                              count(m, 7)])
        t.said("lines", result, 0, "level", "decisions/s", "SMT ", "all ",
               "state active, policy random, engine gate")
        lines = result[1].splitlines()
        t.same("lines: one head, three for each look", len(lines), 14)
        t.result(all(len(line) <= 80 for line in lines), "lines: fit 80 columns",
                 lines)
        t.same("lines: reset is said, once", [
            n for n, line in enumerate(lines) if "reset" in line], [9])
        t.same("lines: after a reset it goes on", lines[7].split()[1], "-")
        t.result(lines[11].split()[1] not in ("-", "0.0"),
                 "lines: figures again", lines)
        m.table(FEW)
        t.said("no rows", lines_of(m, [lambda: None]), 0,
               "no CPU has come to a decision yet")


def test_json(t):
    with Machine() as m:
        count(m, 100, 1)()
        status, out, _ = lines_of(m, [count(m, 150, 11), count(m, 1, 1)],
                                  json=True)
        t.same("--json: an object for each look", (status, out.count("\n")),
               (0, 2))
        first, second = [json.loads(line) for line in out.splitlines()]
        figures = first["levels"][0]
        t.result(abs(figures["decisions_per_s"] * first["seconds"] - 50) < 1e-6,
                 "--json: decisions", [first])
        t.same("--json: the rest", (first["reset"], first["state"],
                                    figures["skip_pct"]),
               (False, "active", 100.0))
        t.same("--json: reset", (second["reset"],
                                 second["levels"][0]["attempts_per_s"]),
               (True, None))


def test_can_not(t):
    quick = ("watch", "-n", "0.1", "-c", "1")
    with Machine() as m:
        t.said("watch in a pipe", m.run(*quick), 0, "SMT", absent=["\x1b"])
        t.said("unloaded meanwhile", lines_of(m, [count(m, 1), m.unload]), 1,
               "SMT", err=["not loaded"])
        m.load()
        m.remove(DEBUG)
        t.said("no table", m.run(*quick), 1, err=["domains is missing"])
        m.put("/proc/mounts", "proc /proc proc rw 0 0")
        t.said("debugfs is not mounted", m.run(*quick), 1,
               err=["mount -t debugfs debugfs /sys/kernel/debug"])
        m.load()
        os.chmod(m.path("/sys/kernel/debug"), 0o700)
        m.fake("id", "echo 1000")
        t.said("as a user", m.run(*quick, user=NOBODY), 3,
               err=["only root may do this"])
        m.fake("id", "echo 0")
        t.said("lockdown", m.run(*quick, user=NOBODY), 1,
               err=["lockdown or a security policy"])
        m.unload()
        t.said("not loaded", m.run(*quick), 1, err=["not loaded"])
    with Machine() as m:
        for arguments in (["-n", "0"], ["-n", "nan"], ["-n", "1e9"],
                          ["-n", "x"], ["-c", "0"], ["-c", "1.5"], ["x"]):
            t.said("watch %s: wrong use" % " ".join(arguments),
                   m.run("watch", *arguments), 2, err=["usage: "])


def main():
    t = Check()
    for test in (test_figures, test_unknown, test_columns, test_reset,
                 test_lines, test_json, test_can_not):
        test(t)
    return t.done()


sys.exit(main())
