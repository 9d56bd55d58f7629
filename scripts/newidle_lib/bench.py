# SPDX-License-Identifier: GPL-2.0-only
"""newidle bench: a workload under several variants, in turn."""

import json
import random
import sys
import tempfile
import time

from . import chart, environment, keeping, machine, measure, stats, verdict
from .keeping import Interrupted, Keeper
from .machine import FAILED, OK, Failure
from .variants import Switch, parse_all
from .verdict import AGAIN
from .workloads import choose

# Each block has every arm twice: there and back, so that what drifts steadily
# is the same for all.
PER_BLOCK = 2
# A run that fails is no reason to throw hours away, many are.
FAILURES = 3


def orders(arms, blocks, seed):
    """The arms of each block."""
    dice = random.Random(seed)
    for _ in range(blocks):
        there = list(arms)
        dice.shuffle(there)
        yield there + there[::-1]


def duration(seconds):
    seconds = int(seconds + 0.5)
    if seconds < 60:
        return "%d s" % seconds
    if seconds < 3600:
        return "%d:%02d min" % (seconds // 60, seconds % 60)
    return "%d:%02d h" % (seconds // 3600, seconds % 3600 // 60)


class Session:
    def __init__(self, options, workload, variants):
        self.options, self.workload = options, workload
        first = variants[0]
        self.variants = {first.name: first, first.name + AGAIN: first,
                         **{v.name: v for v in variants[1:]}}
        self.arms = list(self.variants)
        self.blocks = -(-options.runs // PER_BLOCK)
        self.seed = options.seed if options.seed is not None else \
            random.SystemRandom().randrange(1 << 31)
        self.runs, self.failures = [], 0
        self.began = time.monotonic()
        self.counter = self.switch = self.keeper = None

    def everything(self):
        """What is told of the session, whole or not."""
        whole = self.whole_blocks()
        return {
            "workload": self.workload.name, "command": self.workload.words,
            "unit": self.workload.unit, "better": self.workload.better,
            "arms": self.arms, "seed": self.seed,
            "variants": {name: dict(knobs=v.values, command=v.command)
                         for name, v in self.variants.items()},
            "knobs_before": self.switch.before if self.switch else None,
            "blocks": len(whole), "runs": self.runs,
            "results": verdict.judge(
                [r for r in self.runs if r["block"] in whole], self.arms,
                self.workload.better),
        }

    def whole_blocks(self):
        counts = {}
        for run in self.runs:
            if run["block"] is not None and run["figure"] is not None:
                counts[run["block"]] = counts.get(run["block"], 0) + 1
        return {block for block, count in counts.items()
                if count == PER_BLOCK * len(self.arms)}

    def run(self, arm, block, left):
        self.switch.to(self.variants[arm])
        result = measure.run(self.workload, self.counter, self.keeper,
                             self.switch.look, self.options.timeout)
        result.update(arm=arm, block=block,
                      at=time.monotonic() - self.began)
        if result["error"]:
            self.failures += 1
            machine.say("%s: %s" % (arm, result["error"]))
            if self.failures >= FAILURES:
                raise Failure(FAILED, "the workload failed %d times; it said:\n%s"
                              % (self.failures, result["said"]))
        self.runs.append(result)
        self.progress(result, left)

    def progress(self, result, left):
        figure = "failed" if result["figure"] is None else \
            "%.6g %s" % (result["figure"], self.workload.unit)
        print("%-8s %-30s %-24s %s left" % (
            "warm-up" if result["block"] is None else
            "block %d" % (result["block"] + 1), result["arm"], figure,
            "about " + duration(left)), flush=True)

    def each(self):
        """Seconds that a run takes, with the change before it."""
        return (time.monotonic() - self.began) / max(1, len(self.runs))

    def measure_all(self):
        budget = self.options.time
        block_runs = PER_BLOCK * len(self.arms)
        warm = 0 if self.options.no_warm_up else len(self.arms) - 1
        for n in range(warm):
            # The first arm again needs none of its own.
            arm = [a for a in self.arms if not a.endswith(AGAIN)][n]
            self.run(arm, None, self.left(
                warm - n - 1 + self.blocks * block_runs))
        for block, order in enumerate(orders(
                self.arms, self.blocks if not budget else 1 << 20, self.seed)):
            if budget and block and time.monotonic() - self.began + \
                    self.each() * block_runs > budget:
                break
            for n, arm in enumerate(order):
                self.run(arm, block, self.left(
                    block_runs * (self.blocks - block) - n - 1))

    def left(self, runs):
        if self.options.time:
            return max(0, self.options.time - (time.monotonic() - self.began))
        return self.each() * runs if self.runs else \
            (self.options.seconds + 2) * runs


def table(result):
    """Lines for people."""
    runs = {arm: [r["figure"] for r in result["runs"] if r["arm"] == arm and
                  r["block"] is not None and r["figure"] is not None]
            for arm in result["arms"]}
    yield "%s, %s, %s is better; %d blocks of %d runs" % (
        result["workload"], result["unit"] or "no unit", result["better"],
        result["blocks"], PER_BLOCK * len(result["arms"]))
    yield ""
    yield "%-30s %10s %8s  %-18s %s" % ("variant", "median", "change",
                                        "interval", "verdict")
    pairs = {pair["arm"]: pair for pair in result["results"]}
    for arm in result["arms"]:
        line = "%-30s %10s" % (arm, "%.6g" % stats.median(runs[arm])
                               if runs[arm] else "-")
        if arm in pairs:
            line += " " + pair_words(pairs[arm])
        yield line.rstrip()
    yield ""
    yield from notes(result, pairs)


def pair_words(pair):
    interval = "-" if pair["low_pct"] is None else \
        "%+.1f ... %+.1f %%" % (pair["low_pct"], pair["high_pct"])
    return "%+7.1f%%  %-18s %s" % (pair["change_pct"], interval,
                                   pair["verdict"])


def notes(result, pairs):
    if not pairs:
        yield "No verdict: too few whole blocks."
        return
    same = result["results"][0]
    if same["spread_pct"] is not None:
        yield "Equal runs differ by up to %.1f %% here: no smaller change is " \
            "called one." % same["spread_pct"]
        yield "Intervals hold the change in %.1f of 100 sessions." % \
            (100 * same["level"])
    if same["verdict"] == "unsteady":
        yield "Equal runs differ by more than chance: something else goes on " \
            "here."
    if any(pair["verdict"] == "no verdict" for pair in pairs.values()):
        yield "No verdict: in most passes the kernel took an attempt to cost " \
            "more than the CPU\nidles and asked no policy " \
            "(max_newidle_lb_cost far above avg_idle)."


def write_files(name, result):
    with open(name + ".json", "w", encoding="utf-8") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
    with open(name + ".html", "w", encoding="utf-8") as f:
        f.write(chart.page(result, list(table(result))))


def tell(options, session, whole):
    if not session.whole_blocks():
        return
    result = dict(session.everything(), whole=whole, date=time.strftime(
        "%Y-%m-%dT%H:%M:%SZ", time.gmtime()), environment=environment.
        everything())
    print()
    print(machine.printable("\n".join(table(result))))
    name = options.output or time.strftime("newidle-bench-%Y%m%d-%H%M%S")
    write_files(name, result)
    print("\n%s.json has all that was measured, %s.html shows it" % (name, name))
    sys.stdout.flush()


def measured(options, session, variants):
    with Keeper() as keeper:
        session.keeper = keeper
        session.switch = Switch(keeper)
        session.switch.check(variants)
        session.counter = measure.Counter()
        session.began = time.monotonic()
        session.measure_all()


def bench(options):
    variants = parse_all(options.variant)
    with tempfile.TemporaryDirectory() as folder:
        session = Session(options, choose(options, folder), variants)
        keeping.need_active()
        whole, status = False, OK
        try:
            measured(options, session, variants)
            whole = True
        except Interrupted as ended:
            status = 128 + ended.number
        finally:
            # What hours were spent on is shown, also if it is not all.
            if status in (OK, 130) and session.runs:
                tell(options, session, whole)
    return status
