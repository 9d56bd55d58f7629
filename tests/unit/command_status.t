#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""newidle status: states and what to do, versions, totals and rates."""

import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

sys.dont_write_bytecode = True
from command import KNOBS, NOBODY, SCRIPTS, Check, Machine
from newidle_lib import machine, status

FAST = ("status", "--no-sample")


def test_active(t):
    with Machine() as m:
        result = m.run(*FAST)
        t.said("status", result, 0, "engine           gate", "state            "
               "active", "kernel's own     random", "policy           random\n",
               "max_level      all\n", "rate           1\n", "window         "
               "1024\n", "decisions                      1000\n",
               "0.1.0, source ABCDEF, as installed", "(14 min)",
               absent=["what to do", "per second"])
        data = json.loads(m.run(*FAST, "--json")[1])
        t.same("--json: knobs", data["knobs"], {
            "policy": "random", "rate": "1", "window": "1024",
            "max_level": "all"})
        t.same("--json: totals", data["totals"]["skips"], 750)
        t.same("--json: no rates without a sample", data["per_s"], None)
        t.same("--json: loaded for", data["loaded_for_s"], 899.5)
        result = m.run("status")
        t.said("status with a sample", result, 0, "per second, over 1.0 s",
               "1000          0.0")


def test_unknown(t):
    with Machine() as m:
        m.totals(calls="-", skips="-")
        for name in (KNOBS + "native", KNOBS + "stats/retries", "/installed",
                     "/log"):
            m.remove(name)
        t.said("what can't be known", m.run(*FAST), 0,
               "kernel's own     -\n", "loaded           -\n", "installed -\n",
               "decisions                         -\n", "retries"
               "                           -\n",
               "attempts                        250\n", absent=["stale"])
        data = json.loads(m.run(*FAST, "--json")[1])
        t.same("--json: unknown is null", [
            data["totals"]["calls"], data["native"], data["stale"],
            data["loaded_for_s"]], [None] * 4)


def test_loaded_for(t):
    with Machine() as m:
        for what, log, wanted in (
                ("the last load counts", "[10.0] newidle: 0.1.0: engine gate "
                 "on x\n[90.0] newidle: unloaded\n[900.0] newidle: 0.1.0: "
                 "engine swap on y\n[901.0] newidle: rate: bad value", 100.0),
                ("without time stamps", "newidle: 0.1.0: engine gate on x", None),
                ("the line is lost", "[900.0] newidle: rate: bad value", None),
                ("not before boot", "[2000.0] newidle: 0.1.0: engine gate on x",
                 None)):
            m.put("/log", log)
            with m.inside():
                have = status.loaded_for()
            t.same("loaded: " + what, have, wanted)


def test_states(t):
    with open(os.path.join(SCRIPTS, "../README.md"), encoding="utf-8") as f:
        readme = f.read()
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+ \| [^|]+) \|$", readme, re.M))
    for state in ("transition", "shadowed", "evicted", "disabled",
                  "transparent"):
        with Machine() as m:
            m.put(KNOBS + "state", state)
            meaning, advice = machine.ADVICE[state]
            t.said("state %s: what to do" % state, m.run(*FAST), 0,
                   "state            " + state, meaning, "what to do     " +
                   advice)
            t.same("state %s: as README has it" % state,
                   "%s | %s" % (meaning, advice),
                   rows.get(state, "").replace("`", ""))


def test_shadowed(t):
    with Machine() as m:
        m.put(KNOBS + "state", "shadowed")
        m.put("/sys/kernel/livepatch/other/vmlinux/load_balance,1/stack_order",
              "2")
        t.said("shadowed: by whom", m.run(*FAST), 0,
               "what to do     unload that one: other (on load_balance)")


def test_closed(t):
    """With standard output closed, nothing that is opened takes its place."""
    with Machine() as m:
        for words in ("status --no-sample >&-", "check 2>&- >&-",
                      "set nonsense 2>&-"):
            done = subprocess.run(
                ["sh", "-c", "exec '%s' '%s/newidle' %s" % (
                    sys.executable, SCRIPTS, words)], check=False,
                env=m.environment(), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            t.result("Traceback" not in done.stdout and done.returncode != 120,
                     "newidle " + words, done.stdout.splitlines())
        m.put("/proc/uptime", "nonsense")
        t.said("an odd uptime", m.run(*FAST), 0, "loaded           -")


def test_stale(t):
    with Machine() as m:
        m.put("/installed", "123456")
        t.said("another one is installed", m.run(*FAST), 0, "source ABCDEF: "
               "stale, installed is 123456; to change: newidle unload")
        t.same("another one is installed: --json",
               json.loads(m.run(*FAST, "--json")[1])["stale"], True)


def test_not_loaded(t):
    with Machine(loaded=False) as m:
        t.said("not loaded", m.run("status"), 1, err=["is not loaded"])
        result = m.run("status", "--json")
        t.said("not loaded: --json", result, 1, '{"loaded": false, "reason": '
               '"the module is not loaded"}')
        m.put("/sys/module/newidle/initstate", "live")
        t.said("init never ran", m.run("status"), 1,
               err=["files in /sys/kernel/newidle are missing"])
    with Machine() as m:
        m.unload()
        t.said("unloaded", m.run("status"), 1, err=["is not loaded"])


def sampled(m, during):
    """Facts with a second's sample, in which this happens."""
    real = status.time.sleep
    status.time.sleep = lambda s: (during(), real(0.05)) if s == 1 else real(s)
    try:
        with m.inside():
            return status.collect(SimpleNamespace(sample=True))
    finally:
        status.time.sleep = real


def test_rates(t):
    with Machine() as m:
        facts = sampled(m, lambda: m.totals(calls=1500, pulls="-"))
        counted = facts["per_s"]["calls"] * facts["sample_s"]
        t.result(abs(counted - 500) < 1, "rates: from the sample", [facts])
        t.same("rates: unknown where the total is", facts["per_s"]["pulls"], None)
        t.same("rates: nothing happened", facts["per_s"]["attempts"], 0)
        m.totals(**{"pulls": 50})
        facts = sampled(m, lambda: m.totals(calls=3, attempts=400))
        t.same("reset while sampled: no rates", set(facts["per_s"].values()),
               {None})
        t.same("reset while sampled: the total is shown",
               facts["totals"]["calls"], 3)
        try:
            t.same("unloaded while sampled", sampled(m, m.unload), "a failure")
        except machine.Failure as failure:
            t.same("unloaded while sampled: said", str(failure),
                   "the module is not loaded")


def test_user(t):
    with Machine() as m:
        m.fake("dmesg", "echo 'dmesg: not permitted' >&2; exit 1")
        t.said("as a user", m.run(*FAST, user=NOBODY), 0,
               "loaded           -\n", "active")
        m.put(KNOBS + "state", "x\x1bM")
        t.said("what could be a terminal's command", m.run(*FAST), 0, "x?M")


def main():
    t = Check()
    test_active(t)
    test_unknown(t)
    test_loaded_for(t)
    test_states(t)
    test_shadowed(t)
    test_closed(t)
    test_stale(t)
    test_not_loaded(t)
    test_rates(t)
    test_user(t)
    return t.done()


sys.exit(main())
