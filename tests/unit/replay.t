#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""newidle replay: against a plain model, on known answers, on bad files."""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import recording
import replay_model
from command import Check, Machine, built_tools
from recording import Event

FIGURES = ("calls", "attempts", "pulls", "retries", "retry_pulls",
           "over_limit", "cost_ns", "won_ns", "net_ns", "net_ns_by_stretch")
THREE = {0: "SMT", 1: "MC", 2: "PKG"}


def names_of(by_cpu, names):
    return {(cpu, e.depth): names[e.depth]
            for cpu, some in by_cpu.items() for e in some}


class Replay:
    def __init__(self, machine, tools):
        self.m, self.tools = machine, tools
        self.file = os.path.join(machine.folder, "file")

    def write(self, data):
        with open(self.file, "wb") as f:
            f.write(data)

    def run(self, *arguments):
        return self.m.run("replay", *arguments, self.file,
                          NEWIDLE_TOOLS=self.tools)

    def json(self, by_cpu, names, *arguments):
        self.write(recording.whole(by_cpu, names))
        status, out, err = self.run("--json", *arguments)
        return json.loads(out) if status == 0 else {"failed": (status, err)}

    def one(self, some, words, *arguments, names=THREE):
        """A policy's figures on one CPU, and the oracle's."""
        by_cpu = {0: some}
        found = self.json(by_cpu, names_of(by_cpu, names), "--policy", words,
                          *arguments)
        return found["variants"][0], found["oracle"]


def test_model(t, replay):
    deep = {d: name for d, name in enumerate(
        ["SMT", "CLS", "MC", "PKG", "NODE", "NUMA", "NUMA", "NUMA"])}
    low, high = (.2, 3000), (.05, 6000)
    for what, names, window, longest, seed, cost, cpus in (
            ("three levels", THREE, 256, 1000, 1, (), {
                n: recording.load(n, 500, [low, high, (.1, 9000)])
                for n in (0, 3, 200)}),
            ("eight levels, many pulls", deep, 64, 20, 7, (), {
                n: recording.load(n, 300, [high] * 4 + [(.001, 30000)] +
                                  [(.3, 2000)] * 3) for n in (1, 2)}),
            ("rare events", {0: "MC"}, 1000, 4000000, 0, (), {
                5: recording.load(9, 1600, [(.01, 8000)], 150, 900000)}),
            ("costs near idle times", {0: "SMT", 1: "MC"}, 512, 1000, 2, (), {
                5: recording.load(4, 2000, [(.1, 4000), (.1, 9000)], 200,
                                  20000)}),
            ("other costs", THREE, 256, 1000, 1, (5, 333), {
                n: recording.load(n, 400, [low, high, (.1, 9000)])
                for n in (0, 3)}),
            ("each window a pass", THREE, 1, 1000, 3, (), {
                n: recording.load(n, 250, [(.5, 4000)] * 3) for n in (4, 5)})):
        pairs = names_of(cpus, names)
        found = replay.json(cpus, pairs, "-w", str(window), "-m", str(longest),
                            "-s", str(seed), *(
                                ("-c", str(cost[0]), "-x", str(cost[1]))
                                if cost else ()))
        variants = found.get("variants", [])
        t.result(len(variants) >= 15 and {
            "policy=always", "policy=random,rate=1", "policy=bresenham,rate=0",
            "policy=value"} <= {v["name"] for v in variants},
                 what + ": usual variants", [found.get("failed")])
        for v in [dict(found["oracle"], name=None)] + variants:
            wanted = replay_model.replay(cpus, pairs, v["name"], window,
                                         longest * 1000, seed, *(
                                             (1000 * cost[0], cost[1])
                                             if cost else ()))
            t.same("%s: %s" % (what, v["name"] or "oracle"),
                   [v[f] for f in FIGURES], [wanted[f] for f in FIGURES])
        t.result(all(v["net_ns"] <= found["oracle"]["net_ns"]
                     for v in variants) or window > 1,
                 what + ": none beats an oracle that knows each outcome")


def failing(count, cost=2000, avg_idle=10000):
    return [Event(10 ** 9 + n * 100000, 0, cost, first=True, idle=50000,
                  avg_idle=avg_idle) for n in range(count)]


def test_known(t, replay):
    n = 40000
    some = failing(n)
    always, oracle = replay.one(some, "policy=always")
    t.same("nothing to pull: always loses its time",
           (always["attempts"], always["net_ns"]), (n, -2000 * n))
    t.same("nothing to pull: the oracle does not try",
           (oracle["attempts"], oracle["net_ns"], always["share_of_oracle"]),
           (0, 0, None))
    # 256 attempts of credit, then one decision in 64.
    value, _ = replay.one(some, "policy=value")
    t.same("nothing to pull: value spends its first credit and then looks",
           value["attempts"], 256 + (n - 256) // 64)
    dice, _ = replay.one(some, "policy=random,rate=0")
    # A ratio of 0 is 2 attempts of 1024, and it takes some windows to get there.
    t.result(480 < dice["attempts"] < 700, "nothing to pull: random "
             "comes down to its least share", [dice["attempts"]])

    # Three in four fail and idle for 40 us; a pull is worth just that.
    some = [Event(10 ** 9 + n * 100000, 0, 1000, n % 4 == 0, True,
                  idle=None if n % 4 == 0 else 40000) for n in range(4096)]
    always, oracle = replay.one(some, "policy=always")
    t.same("one in four pulls: won and spent",
           [always[f] for f in ("pulls", "won_ns", "cost_ns", "net_ns")],
           [1024, 1024 * 40000, 4096 * 1000, 1024 * 40000 - 4096 * 1000])
    t.same("one in four pulls: always is the best",
           (always["share_of_oracle"], oracle["net_ns"]),
           (1.0, always["net_ns"]))
    short, _ = replay.one(some, "policy=always", "--longest", "30")
    t.same("--longest cuts off what a pull wins", short["won_ns"], 1024 * 30000)

    # First half fails, second half pulls: the oracle tries the second alone.
    some = [Event(10 ** 9 + n * 100000, 0, 1000, n >= 2048 and n % 2 == 0,
                  True, idle=None if n >= 2048 and n % 2 == 0 else 10000)
            for n in range(4096)]
    _, oracle = replay.one(some, "policy=always", "-w", "1024")
    t.same("two phases: the oracle tries where it pays",
           (oracle["attempts"], oracle["net_ns"]),
           (2048, 1024 * 10000 - 2048 * 1000))
    _, oracle = replay.one(some, "policy=always", "-w", "4096")
    t.same("two phases in one window: the oracle takes both or none",
           (oracle["attempts"], oracle["net_ns"]),
           (4096, 1024 * 10000 - 4096 * 1000))


def apart(costs):
    """Attempts that fail, 10 ms from one to the next."""
    return [Event(10 ** 9 + n * 10 ** 7, 0, cost, first=True, idle=5)
            for n, cost in enumerate(costs)]


def test_half(t, replay):
    for what, costs, low, high in (
            ("attempts that are alike", [2000] * 1000, 500, 500),
            ("a few long ones", [1000] * 1000 + [10 ** 6] * 10, 5, 6),
            ("one", [10 ** 6], 0, 1), ("short ones", [1, 2, 3, 4], 1, 2)):
        found = replay.json({0: apart(costs)}, {(0, 0): "MC"})
        t.result(low <= found["half_of_cost"] <= high, "half of the time was "
                 "spent in: " + what, [found["half_of_cost"]])
    replay.write(recording.whole({0: apart(
        10 ** 6 if n % 200 == 7 else 1000 for n in range(2000))}))
    t.said("and said, if it is few", replay.run(), 0, "half of the time was "
           "spent in 5 attempts")


def test_costs(t, replay):
    # 10 of 1000 lost their turn for 1 ms.
    some = apart(10 ** 6 if n % 100 == 7 else 2000 for n in range(1000))
    for what, words, cost, cut in (
            ("as recorded", (), 990 * 2000 + 10 ** 7, (None, 100, 0, 0)),
            ("no longer than 10 us", ("--cost-limit", "10"),
             990 * 2000 + 10 * 10000, (10000, 100, 10, 9900000)),
            ("that is where it begins", ("-c", "1000"),
             990 * 2000 + 10 ** 7, (1000000, 100, 0, 0)),
            ("eight times as much", ("--cost-pct", "800"),
             8 * (990 * 2000 + 10 ** 7), (None, 800, 0, 0)),
            ("half", ("-x", "50"), 990 * 1000 + 5 * 10 ** 6, (None, 50, 0, 0)),
            ("first the limit, then the percentage", ("-c", "10", "-x", "800"),
             8 * (990 * 2000 + 10 * 10000), (10000, 800, 10, 9900000)),
            ("no more than 4.3 s", ("-x", "100000", "-c", "4000000"),
             990 * 2000000 + 10 ** 10, (4000000000, 100000, 0, 0))):
        found = replay.json({0: some}, {(0, 0): "MC"}, "-p", "policy=always",
                            *words)
        t.same("costs: " + what, (found["variants"][0]["cost_ns"], tuple(
            found[f] for f in ("cost_limit_ns", "cost_pct", "cut_attempts",
                               "cut_ns"))), (cost, cut))
    # 4.3 s is where a time is cut off.
    found, _ = replay.one(apart([2 ** 31]), "policy=always", "-x", "100000")
    t.same("costs: one that would be longer", found["cost_ns"], 2 ** 32 - 1)
    replay.write(recording.whole({0: some}))
    t.said("costs: said", replay.run("-c", "10", "-x", "800"), 0,
           "10 attempts took longer than 10 us, by 9.9 ms in all; that is left "
           "out", "attempts are taken to cost 800 % of that")
    replay.write(recording.whole({0: apart(
        10 ** 6 + 2 * n if n % 100 == 7 else 2000 for n in range(1000))}))
    t.said("costs: a limit that leaves them long", replay.run("-c", "1001"), 0,
           "5 attempts took longer than 1001 us", "half of the time was spent in ")
    for wrong in (("-c", "0"), ("-c", "4000001"), ("-c", "ten"), ("-x", "0"),
                  ("-x", "100001"), ("--cost-pct", "")):
        status, out, err = replay.run(*wrong)
        t.result(status == 2 and not out and "usage: newidle replay" in err,
                 "wrong use: %s %s" % wrong, [status, err])


def test_levels(t, replay):
    # The wider level pulls for 1 us what the lower one fails to for 9 us.
    some = []
    for n in range(2000):
        at = 10 ** 9 + n * 100000
        some += [Event(at, 0, 9000, first=True),
                 Event(at + 1, 1, 1000, n % 2 == 0,
                       idle=None if n % 2 == 0 else 20000)]
    always, oracle = replay.one(some, "policy=always", "--levels")
    t.same("the oracle leaves out a level", [
        (level["level"], level["attempts"]) for level in oracle["levels"]],
        [("SMT", 0), ("MC", 2000)])
    t.same("levels: time and pulls are where they belong", [
        (level["cost_ns"], level["pulls"]) for level in always["levels"]],
        [(18000000, 0), (2000000, 1000)])
    t.same("CPUs", [(c["cpu"], c["depth"], c["attempts"])
                    for c in always["cpus"]], [(0, 0, 2000), (0, 1, 2000)])
    limited, _ = replay.one(some, "policy=always,max_level=smt")
    t.same("max_level: what is beyond is no decision",
           (limited["calls"], limited["over_limit"], limited["pulls"]),
           (2000, 2000, 0))
    # Where the lower level pulled, the wider one does as it did the last times.
    some = recording.load(1, 6000, [(.3, 1000), (.4, 1000)])
    walks = sum(e.first for e in some)
    off, _ = replay.one(some, "policy=always,max_level=node",
                        names={0: "NUMA", 1: "PKG"})
    # A few walks end before it.
    t.result(.95 * walks < off["attempts"] < walks and
             .37 < off["pulls"] / off["attempts"] < .43,
             "levels above a pull are tried if it is skipped",
             [walks, off["attempts"], off["pulls"]])


def test_native(t, replay):
    some = failing(1000)
    for native, words in (("random", "policy=random,rate=0"),
                          ("random+rate", "policy=random,rate=1"),
                          ("none", "policy=always")):
        replay.write(recording.whole({0: some}, head="native %s\n" % native))
        status, out, _ = replay.run("--json", "-p", "policy=stock", "-p", words)
        rows = json.loads(out)["variants"] if not status else []
        t.same("stock is what the kernel does: " + native, [
            (v["attempts"], v["native"]) for v in rows[:1]],
            [(v["attempts"], False) for v in rows[1:]])
        t.same("and is marked: " + native, replay.run("-p", words)[1].count(
            " * "), 1)
    replay.write(recording.whole({0: some}, head="kernel 6.12\n"))
    t.said("stock, if that is not known", replay.run("-p", "policy=stock"), 2,
           err=["which the recording does not tell"])


def test_said(t, replay):
    by_cpu = {n: recording.load(n, 300, [(.1, 2000), (.1, 3000)])
              for n in range(2)}
    replay.write(recording.whole(by_cpu))
    result = replay.run()
    t.said("the table", result, 0, "kernel 6.12.74-amd64", "Made Up 9000",
           "2 CPUs", "0 events lost", "random,rate=0 *", "\noracle",
           "Assumed is:", "does not depend on what was decided before")
    t.same("it fits 80 columns", [line for line in result[1].splitlines()
                                  if len(line) > 80], [])
    t.said("levels", replay.run("--levels"), 0, "\n  SMT ", "\n  MC ")
    t.same("it says the same again", replay.run()[1], result[1])
    t.result(replay.run("-s", "1")[1] != result[1], "--seed: other dice")
    for words, why in (("policy=never", "names no policy"),
                       ("policy", "not of the form"),
                       ("window=1000", "no power of two"),
                       ("rate_shift=99", "out of range"),
                       ("nonsense=1", "not known here"),
                       ("max_level=core", "names no level"),
                       ("x=" + "y" * 300, "too long")):
        t.said("--policy %.20s: wrong use" % words, replay.run("-p", words), 2,
               err=[why])
    for arguments in (["-w", "0"], ["-m", "x"], ["-s", "-1"], ["--nonsense"],
                      ["another"], ["-w", "1e3"]):
        t.said("replay %s: wrong use" % " ".join(arguments),
               replay.run(*arguments), 2)
    t.said("replay without a file", replay.m.run(
        "replay", NEWIDLE_TOOLS=replay.tools), 2, err=["usage: newidle replay"])
    t.said("--help", replay.run("--help"), 0, "usage: newidle replay",
           "exit status:")
    t.said("not built", replay.m.run("replay", "x", NEWIDLE_TOOLS="/nowhere"),
           1, err=["newidle-replay is not built", "make tools"])
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([replay.tools + "/newidle-replay", replay.file],
                              check=False, stdout=full, stderr=subprocess.PIPE)
    t.result(done.returncode == 1 and b"No space left" in done.stderr,
             "what can't be written is told", [done])


def test_bad(t, replay):
    some = failing(300)
    good = recording.whole({0: some})
    head = recording.block(b"HEAD", b"kernel 6.12\n")
    for what, data, words in (
            ("empty", b"", "no recording of newidle"),
            ("something else", b"#!/bin/sh\n" * 10, "no recording of newidle"),
            ("another byte order", recording.begin(order=0x04030201) + head,
             "another byte order"),
            ("a later version", recording.begin(version=2) + head,
             "version that is not known"),
            ("no head", recording.begin() + recording.events(0, some),
             "no head, at byte 16"),
            ("no end", good[:good.index(b"TAIL")], "cut off"),
            ("a bit wrong", good[:200] + bytes([good[200] ^ 4]) + good[201:],
             "checksum is wrong"),
            ("something behind it", good + b"\n", "something follows"),
            ("no events", recording.whole({}, {}), "nothing was recorded")):
        replay.write(data)
        t.said("a file that is bad: " + what, replay.run(), 1, err=[words])
    def block_of(*some, cpu=0):
        return recording.events(cpu, some)

    def event(depth=0, time=10 ** 9, first=False, **more):
        return Event(time, depth, 1000, first=first, **more)
    begin = event(first=True)
    strange = block_of(begin).replace(b"\x20\0", b"\xa0\0")
    for what, block, words in (
            ("a pass without a beginning", block_of(event()), "malformed"),
            ("a depth twice", block_of(begin, event()), "malformed"),
            ("depths that fall", block_of(event(2, first=True), event(1)),
             "malformed"),
            ("an attempt after a pull", block_of(
                event(first=True, pulled=True), event(1)), "malformed"),
            ("an attempt after idling", block_of(
                event(first=True, idle=5), event(1)), "malformed"),
            ("a flag that is not known", recording.block(
                b"EVTS", strange[12:]), "malformed"),
            ("a CPU that can't be", block_of(begin, cpu=8192),
             "number is too high"),
            ("a time that can't be", block_of(event(time=2 ** 63, first=True)),
             "time is too high"),
            ("one that comes to it", block_of(
                event(time=2 ** 61, first=True),
                event(time=2 ** 63, first=True)), "malformed"),
            ("time that goes back", block_of(event(time=5, first=True)) +
             block_of(event(time=4, first=True)), "goes backwards"),
            ("a block that is not known", recording.block(b"MORE", b"x"),
             "unknown kind"),
            ("a block without its head", recording.block(b"EVTS", b"x"),
             "too short"),
            ("more than is told", recording.block(
                b"EVTS", block_of(begin)[12:] + b"x"), "more than its events"),
            ("less than is told", recording.block(
                b"EVTS", b"\0\0\0\0\xff\xff\xff\xff" + b"\0" * 20),
             "fewer events")):
        replay.write(recording.begin() + head + block + recording.tail({}))
        t.said(what, replay.run(), 1, err=[words])
    replay.write(recording.begin() + head + block_of(begin, event(1)) +
                 recording.tail({}))
    t.said("and one that is good", replay.run(), 0, "2 attempts in 1 passes")
    half = {0: failing(5000)}
    replay.write(recording.whole(half)[:20000])
    t.said("cut off", replay.run(), 1, err=["cut off", "--damaged uses"])
    t.said("--damaged: what is whole is used", replay.run("--damaged"), 0,
           "oracle", "lost is not known", err=["cut off, at byte"])
    os.unlink(replay.file)
    t.said("no file", replay.run(), 1, err=["No such file"])


def main():
    t = Check()
    with Machine(loaded=False) as m, tempfile.TemporaryDirectory() as folder:
        replay = Replay(m, built_tools(t, folder))
        for test in (test_model, test_known, test_half, test_costs, test_levels,
                     test_native, test_said, test_bad):
            test(t, replay)
    return t.done()


sys.exit(main())
