#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""newidle recommend: what it says of recordings whose best policy is known."""

import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import recording
from command import KNOBS, Check, Machine, built_tools
from newidle_lib import recommend


def row(name, *net, native=False):
    """A variant; net gains in ms, each for some stretches in turn."""
    some = [int(net[n % len(net)] * 1e6) for n in range(32)]
    return {"name": "policy=" + name, "net_ns": sum(some), "native": native,
            "net_ns_by_stretch": some, "share_of_oracle": 0.5}


def judged(rows, worth=0.1, pulls=1000):
    """On 10 CPUs for 32 s: 1 % is 3.2 s, or 100 ms a stretch."""
    result = {"variants": rows, "duration_ns": 32 * 10 ** 9, "cpus": 10,
              "pulled_passes": pulls, "events": 9, "half_of_cost": 4,
              "cut_attempts": 0, "cost_limit_ns": None, "cost_pct": 100}
    return recommend.judge(result, rows[0], worth)


def test_judge(t):
    base = row("random,rate=0", 10, 12)
    found = judged([base, row("always", 200, 220)])
    t.same("far better", (found["verdict"], found["best"], found["sure"]),
           ("better", "policy=always", 1.0))
    t.same("by how much", round(found["gain_pct"], 3), 1.99)
    t.result(found["low_pct"] <= found["gain_pct"] <= found["high_pct"] and
             found["high_pct"] - found["low_pct"] < 0.2,
             "the interval is around it", [found])
    found = judged([base, row("always", 15, 17)])
    t.same("better, but not worth having", found["verdict"], "no difference")
    t.same("that depends on what is", judged(
        [base, row("always", 15, 17)], worth=0.01)["verdict"], "better")
    # 32 ms more on average, from a single stretch.
    found = judged([base, row("always", *[10] * 31, 1100)])
    t.same("better by one stretch alone: not sure", found["verdict"],
           "no difference")
    t.result(found["low_pct"] <= 0 < found["gain_pct"], "and its interval has 0",
             [found])
    found = judged([row("value", 100, 90), base, row("always", 50)])
    t.same("what there is is the best", (found["verdict"], found["best"]),
           ("no difference", "policy=value"))
    found = judged([base, row("value,value_cost_pct=200", 100, 104),
                    row("value", 99, 103), row("value,retry=1", 100, 103.9)])
    t.same("of what is as good, the plainest", found["best"], "policy=value")
    found = judged([base, row("value,value_cost_pct=200", 150, 154),
                    row("value", 99, 103)])
    t.same("not if it is worse", found["best"],
           "policy=value,value_cost_pct=200")
    found = judged([base, row("always", 0, 200), row("value", 199, 1)])
    t.result(0.4 < found["sure"] < 0.9, "two as good: it is not sure which",
             [found["sure"]])
    t.same("too few pulls", judged([base, row("always", 200)], pulls=99)[
        "verdict"], "too little")


def test_lines(t):
    t.same("how to set it", recommend.apply_lines(
        "policy=random,rate=0,retry=1"), [
            "newidle set policy=random rate=0 rate_shift=22 window=1024 "
            "value_cost_pct=100 retry=1 retry_idle_pct=50 max_level=all",
            "echo 'options newidle policy=random rate=0 retry=1' > "
            "/etc/modprobe.d/newidle-policy.conf"])
    t.same("the defaults are those of the module", recommend.DEFAULTS,
           defaults())


def defaults():
    """As policy.h has them."""
    folder = os.path.dirname(os.path.realpath(__file__)) + "/../../module/"
    with open(folder + "policy.h", encoding="utf-8") as f:
        lines = f.read().splitlines()
    values = {words[1]: words[2].rstrip("U") for words in
              (line.split() for line in lines)
              if len(words) > 2 and words[0] == "#define"}
    begin = next(n for n, line in enumerate(lines)
                 if "define NEWIDLE_DEFAULTS" in line)
    found = {"retry": "0"}
    for line in lines[begin + 1:]:
        if "=" not in line:
            break
        name, value = line.strip(" .\t\\,").split("=")
        value = value.strip(" ,")
        found[name.strip()] = values.get(value, value.replace(
            "NEWIDLE_", "").lower())
    return found


def test_files(t):
    with Machine(loaded=False) as m, tempfile.TemporaryDirectory() as folder:
        tools = {"NEWIDLE_TOOLS": built_tools(t, folder)}
        file = m.folder + "/file"

        def say(data, *arguments):
            with open(file, "wb") as f:
                f.write(data)
            return m.run("recommend", file, *arguments, **tools)

        # Rare pulls that are worth much: as a barrier at each step.
        steps = {cpu: recording.load(cpu, 5000, [(.04, 8000)], 1500, 800000)
                 for cpu in range(2)}
        result = say(recording.whole(steps, head="native random\n"))
        t.said("rare pulls worth much", result, 0, "Recommended: ",
               "what the kernel does (random,rate=0)", "net gain +",
               "newidle set policy=", "options newidle policy=",
               "a model's word", absent=["No difference"])
        found = json.loads(say(recording.whole(steps), "--json")[1])
        t.result(found["verdict"] == "better" and found["best"] in (
            "policy=always", "policy=value") and found["low_pct"] > 0.1,
            "--json", [found])
        # Hardly ever anything to pull, and nothing to win: skipping is right.
        busy = {0: recording.load(1, 8000, [(.02, 3000)], 20000, 5000)}
        t.said("nothing to win, and the kernel skips", say(
            recording.whole(busy, head="native random\n"), "--worth", "3"), 0,
               "No difference worth having", absent=["newidle set"])
        t.said("nothing to win, and the kernel tries", say(
            recording.whole(busy, head="native none\n")), 0, "Recommended: ",
               "what the kernel does (always)")
        # Each attempt costs more than there ever is to win.
        dear = {0: recording.load(1, 4000, [(.1, 9000)], 20000, 4000)}
        t.said("nothing that wins", say(recording.whole(dear)), 0,
               "no policy wins anything", absent=["of what an oracle"])
        for n, event in enumerate(steps[0]):
            if n % 500 == 0:
                event.cost = 9000000
        t.said("a few attempts that took half of the time", say(
            recording.whole(steps)), 0, "half of the time was spent in ")
        t.said("without what is above a limit", say(
            recording.whole(steps), "--cost-limit", "20"), 0,
               "10 attempts took longer than 20 us: what is above is left out",
               absent=["half of the time"])
        t.said("attempts so dear that none pays", say(
            recording.whole(steps), "--cost-limit", "20", "--cost-pct", "10000"),
               0, "no policy wins anything",
               "attempts are taken to cost 10000 % of that")
        found = json.loads(say(recording.whole(steps), "--cost-limit", "20",
                               "--cost-pct", "300", "--json")[1])
        t.same("--json tells what was assumed", [
            found[f] for f in ("cost_limit_ns", "cost_pct", "cut_attempts")],
               [20000, 300, 10])
        t.said("too little", say(recording.whole(
            {0: recording.load(1, 300, [(.1, 3000)])})), 0,
               "Too few pulls", absent=["Recommended", "No difference"])
        t.said("damaged", say(recording.whole(steps)[:5000]), 1,
               err=["cut off", "nothing can be recommended"])
        t.said("no file", m.run("recommend", "/nowhere", **tools), 1,
               err=["No such file"])
        for arguments in ([], ["a", "b"], [file, "--", "true"],
                          [file, "--worth", "x"], [file, "--cost-limit", "0"],
                          [file, "--cost-limit", "4000001"],
                          [file, "--cost-pct", "100001"],
                          [file, "--cost-pct", "much"]):
            t.said("recommend %s: wrong use" % " ".join(arguments[:2]),
                   m.run("recommend", *arguments, **tools), 2)
        t.said("a command, but nothing is loaded", m.run(
            "recommend", "--", "true", **tools), 1, err=["not loaded"])
        t.said("a command where there is none", m.run(
            "status", "--", "true"), 2, err=["no command behind --"])


def test_current(t):
    def current(m, **knobs):
        for name, value in knobs.items():
            m.put(KNOBS + name, value)
        with m.inside():
            return recommend.current()

    with Machine() as m:
        t.same("what is set, as a variant", current(m), "policy=random")
        t.same("and with knobs", current(
            m, policy="stock always random [value]", window="64",
            value_cost_pct="300"),
            "policy=value,window=64,value_cost_pct=300")
        t.same("stock is none of ours", current(m, policy="[stock] always"),
               None)


def main():
    t = Check()
    for test in (test_judge, test_lines, test_files, test_current):
        test(t)
    return t.done()


sys.exit(main())
