#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts of newidle bench: right intervals, hardly ever a difference where
there is none, and a slowdown of 10 % is found."""

import itertools
import math
import random
import sys

sys.dont_write_bytecode = True
from command import Check
from newidle_lib import bench, stats, verdict

SESSIONS = 1000
ARMS = ["stock", "stock (again)", "value", "random"]


def margin(share, count):
    """What chance adds to a share: 99.9 % of cases are below."""
    return share + 3.1 * math.sqrt(share * (1 - share) / count)


def test_ranks(t):
    t.same("rank sums by counting all orders", list(stats.rank_sums(3, 4)), [
        sum(1 for chosen in itertools.combinations(range(7), 3)
            if sum(c - n for n, c in enumerate(chosen)) == u)
        for u in range(13)])
    # Critical values of the rank-sum test, two-sided, 5 %, as in any table.
    t.same("tabulated values", [stats.kept(m, n, 0.95) for m, n in (
        (3, 3), (4, 4), (5, 5), (8, 8), (10, 10), (5, 9), (20, 20))],
        [None, 0, 2, 13, 23, 7, 127])
    t.same("and for 1 %", [stats.kept(n, n, 0.99) for n in (4, 5, 10, 20)],
           [None, 0, 16, 105])
    first, second = [1, 2, 3, 4], [11, 12, 13, 14]
    t.same("a shift, and its interval", stats.shift(first, second),
           (10, 7, 13))
    t.same("too few for an interval", stats.shift([1, 2], [3, 4]),
           (2, None, None))
    t.same("medians", [stats.median([3, 1, 2]), stats.median([4, 1, 2, 3])],
           [2, 2.5])
    t.same("quantiles", [stats.quantile([0, 10, 20], s) for s in (0, .25, .9, 1)],
           [0, 5, 18, 20])
    t.same("what a block has in common is taken out", stats.without_blocks(
        {"a": [(0, 1), (1, 101)], "b": [(0, 3), (1, 103)]}),
        {"a": [-1, -1], "b": [1, 1]})
    t.same("a block that is not whole is left out", stats.without_blocks(
        {"a": [(0, 1), (1, 5)], "b": [(0, 3)]}), {"a": [-1], "b": [1]})


def test_coverage(t):
    dice, held = random.Random(5), 0
    for _ in range(2000):
        first = [dice.lognormvariate(0, 1) for _ in range(8)]
        second = [dice.lognormvariate(0, 1) + 3 for _ in range(8)]
        _, low, high = stats.shift(first, second)
        held += low <= 3 <= high
    t.result(2000 * 0.95 - 50 < held < 2000 * 0.98, "intervals hold what is "
             "true as often as they say", [held])


def quiet(dice):
    return dice.gauss(0, 0.02)


def outliers(dice):
    """Now and then something else runs."""
    return dice.gauss(0, 0.02) - (dice.expovariate(5) if dice.random() < 0.1
                                  else 0)


def two_states(dice):
    """As with memory that is lucky or not."""
    return dice.gauss(0.05 if dice.random() < 0.5 else -0.05, 0.01)


def coarse(dice):
    """Figures that are rounded: many are equal."""
    return math.log(round(100 * math.exp(dice.gauss(0, 0.02))) / 100)


def session(noise, seed, slower=0.0, drift=0.02, blocks=5):
    """Runs as bench keeps them; the third arm is slower by so much."""
    dice, runs, level = random.Random(seed), [], 0.0
    for block, order in enumerate(bench.orders(ARMS, blocks, seed)):
        # The machine is warmer, or somebody logs in.
        level += dice.gauss(0, drift)
        for n, arm in enumerate(order):
            figure = 1000 * math.exp(level + drift * n / 20 + noise(dice))
            if arm == "value":
                figure *= 1 - slower
            runs.append({"arm": arm, "block": block, "figure": figure})
    return runs


def verdicts(runs, better="higher"):
    return {pair["arm"]: pair["verdict"]
            for pair in verdict.judge(runs, ARMS, better)}


def wrong(noise, first):
    """In how many sessions without a difference one is called."""
    count = 0
    for seed in range(first, first + SESSIONS):
        found = verdicts(session(noise, seed))
        count += any(found[arm] != "no difference" for arm in ARMS[2:])
    return count


def test_equal(t):
    t.same("the more variants, the wider intervals", [
        round(verdict.level_for(n), 4) for n in (1, 2, 5)],
        [0.95, 0.975, 0.99])
    runs = session(quiet, 1)
    wide, narrow = [verdict.judge(
        [r for r in runs if r["arm"] in arms], arms, "higher")[1]
        for arms in (ARMS, ARMS[:3])]
    t.result(wide["low_pct"] < narrow["low_pct"] and
             wide["high_pct"] > narrow["high_pct"], "and so they are",
             [wide, narrow])
    for n, noise in enumerate((quiet, outliers, two_states, coarse)):
        count = wrong(noise, n * SESSIONS)
        t.result(count <= margin(verdict.ERRORS, SESSIONS) * SESSIONS,
                 "%d sessions without a difference, %s: %d tell of one" %
                 (SESSIONS, noise.__name__.replace("_", " "), count))
    # This test notices if too much is called a difference.
    real = verdict.level_for, verdict.word
    verdict.level_for = lambda _: 0.8
    verdict.word = lambda pair, _spread, better: real[1](pair, 0, better)
    count = wrong(quiet, 0)
    verdict.level_for, verdict.word = real
    t.result(count > margin(verdict.ERRORS, SESSIONS) * SESSIONS,
             "with intervals too narrow it would fail: %d" % count)


def test_slower(t):
    for noise, least in ((quiet, 0.99), (outliers, 0.9), (two_states, 0.5)):
        found = [verdicts(session(noise, seed, slower=0.1))["value"]
                 for seed in range(200)]
        t.result(found.count("worse") >= least * 200 and "better" not in found,
                 "10 %% slower is found, %s: %d of 200" % (
                     noise.__name__.replace("_", " "), found.count("worse")))
    runs = session(quiet, 1, slower=0.1)
    pairs = {p["arm"]: p for p in verdict.judge(runs, ARMS, "higher")}
    pair = pairs["value"]
    t.result(pair["low_pct"] < -10 < pair["high_pct"] and
             abs(pair["change_pct"] + 10) < 3, "and by how much", [pair])
    t.same("lower is better", verdicts(runs, "lower")["value"], "better")
    t.same("two blocks are enough for what is plain", verdicts(
        session(quiet, 3, slower=0.5, blocks=3))["value"], "worse")


def test_no_verdict(t):
    t.same("one block is too little", set(verdicts(session(
        quiet, 1, slower=0.5, blocks=1)).values()), {"too few runs"})
    runs = session(quiet, 1, slower=0.5)
    t.same("an arm without runs", verdict.judge(
        [r for r in runs if r["arm"] != "random"], ARMS, "higher"), [])
    for run in runs:
        run["kept_away"] = 0.9 if run["arm"] == "value" else 0.1
    found = verdicts(runs)
    t.same("the kernel asked no policy: no verdict",
           (found["value"], found["random"]), ("no verdict", "no difference"))
    # Equal arms that are not: whatever is less is called nothing.
    runs = session(quiet, 2, slower=0.1)
    for run in runs:
        if run["arm"] == "stock (again)":
            run["figure"] *= 1.3
    found = verdicts(runs)
    t.same("equal runs that differ", (found["stock (again)"], found["value"]),
           ("unsteady", "no difference"))


def test_words(t):
    for what, low, change, high, spread, wanted in (
            ("plain", .05, .1, .2, .02, "better"),
            ("the interval holds 0", -.01, .1, .2, .02, "no difference"),
            ("its end is 0", 0, .1, .2, .02, "no difference"),
            ("equal runs differ as much", .05, .1, .2, .1, "no difference"),
            ("it is not known what they differ by", .05, .1, .2, None,
             "too few runs"),
            ("no interval", None, .1, None, .02, "too few runs")):
        t.same("a verdict's conditions, one by one: " + what, verdict.word(
            {"low": low, "change": change, "high": high}, spread, "higher"),
            wanted)


def test_orders(t):
    found = list(bench.orders(ARMS, 50, 9))
    t.result(all(order[:4] == order[:3:-1] and sorted(order[:4]) ==
                 sorted(ARMS) for order in found), "there and back", found[:1])
    t.result(len({tuple(order) for order in found}) > 15, "in many orders")
    t.same("the same for the same seed", found,
           list(bench.orders(ARMS, 50, 9)))


def main():
    t = Check()
    for test in (test_ranks, test_coverage, test_equal, test_slower,
                 test_no_verdict, test_words, test_orders):
        test(t)
    return t.done()


sys.exit(main())
