#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""recordings: what it takes from guests, and what it makes of replays."""

import base64
import contextlib
import gzip
import io
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE + "/../style"]
from tap import Tap, script_module

recordings = script_module(HERE + "/recordings")
learner = recordings.learner
POLICIES = len(recordings.POLICIES)
STRETCHES = 32


def spoken(name, data):
    text = base64.encodebytes(gzip.compress(data)).decode()
    return ["recording " + name, *text.splitlines(), "recorded " + name]


def test_found(tap):
    whole = spoken("one", b"1" * 500)
    lines = ["# words", *whole, "ok", *spoken("two", b"2")]
    tap.result(recordings.found_in(lines) == {"one": b"1" * 500, "two": b"2"},
               "two recordings among other words")
    tap.result(recordings.found_in(whole[:-1]) == {},
               "one that has no end is none")


# A guest that makes recordings of their command line; waker's breaks off.
GUEST = """#!/usr/bin/env python3
import base64, gzip, re, sys
words = dict(re.findall(r"(recordings|load|seed)=(\\S+)", " ".join(sys.argv)))
smp = re.search("^# smp: .*", sys.stdin.read(), re.M)[0]
print("ok - one", "okay", "# two", "recording " + words["load"], sep=chr(10))
print(base64.b64encode(gzip.compress((smp + " %(recordings)s %(seed)s" % words)
                                     .encode())).decode())
if words["load"] != "waker":
    print("recorded " + words["load"])
"""


def test_make(tap):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/guest", "w", encoding="utf-8") as f:
            f.write(GUEST)
        os.chmod(folder + "/guest", 0o755)
        recordings.HERE = folder
        made = recordings.Recordings("6.12", 3, 2, folder)
        all_of_them = made.missing()
        tap.result(len(all_of_them) == len(set(all_of_them)) ==
                   2 * len(recordings.LOADS) * len(recordings.SHAPES),
                   "all are missing at first", all_of_them)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            for one in all_of_them:
                made.make(*one)
        # A line of a recording may well begin with "ok".
        tap.result(said.getvalue().splitlines()[:4] == [
            "barrier, 2 caches, 1", "ok - one", "# two", "barrier, 4 caches, 1"],
                   "results and comments are shown, nothing else", said.getvalue())
        tap.result(made.missing() == [one for one in all_of_them if one[0] == "waker"],
                   "what broke off is still missing", made.missing())
        tap.result(made.of("waker", 2) == [], "and is in no table")
        for load, caches, n in (("waves", 2, 1), ("hackbench", 4, 2)):
            with open(made.path(load, caches, n), encoding="utf-8") as f:
                have = f.read()
            want = "# smp: %s %d %d" % (recordings.SHAPES[caches],
                                        3 * recordings.LOADS[load], n)
            tap.result(have == want, "%s: its shape, length and round" % load,
                       [have, want])


def results(nets, oracle=1000e6, cost=500e6):
    """One seed's, from what each policy wins in every stretch."""
    return {"variants": [{"net_ns_by_stretch": some, "net_ns": sum(some),
                          "cost_ns": cost} for some in nets],
            "oracle": {"net_ns": oracle}, "events": 100, "passes": 50,
            "pulled_passes": 5, "cut_attempts": 10}


def steady(*each):
    return [[ns] * STRETCHES for ns in each]


def test_against_best(tap):
    same = [0] * (POLICIES - 3)
    # The second is best of all, the first in one round.
    rounds = [[results(steady(9, 8, *same, 7))], [results(steady(1, 8, *same, 11))]]
    more, low, high = recordings.against_best(rounds)
    tap.result(more == 2 * STRETCHES, "the best is that of all rounds", [more])
    tap.result(low < 0 < high, "rounds that say different things: may be nothing",
               [low, high])
    tap.result(recordings.against_best(rounds[1:])[1:] == (3 * STRETCHES, ) * 2,
               "where all stretches are equal there is no doubt")
    dice = [[results(steady(ns, *same, 0, 5)) for ns in (2, 4)]]
    tap.result(recordings.against_best(dice)[0] == 2 * STRETCHES,
               "seeds count with their mean")


def test_learner(tap):
    model, made_up = learner.replay_model, learner.recording
    # Success rates and costs, ns, of two levels; a pull wins 50 us.
    neither, wide = ((0.1, 20000), (0.1, 20000)), ((0.1, 20000), (0.2, 1000))

    def events(*phases):
        return [event for n, levels in enumerate(phases) for event in
                made_up.load(n, 2000, levels, begin_at=(n + 1) * 10 ** 12)]

    def net(some, memory, longest=10 ** 6):
        return learner.net_of(model.prepared(some, 1024, longest), memory)

    def replayed(some, words):
        return model.replay({0: some}, {(0, 0): "MC", (0, 1): "PKG"}, words)["net_ns"]

    some = events(neither)
    tap.result(0 >= net(some, 1024) > 0.02 * replayed(some, "policy=always"),
               "a learner leaves alone what never pays")
    some = events(wide)
    tap.result(0.9 * replayed(some, None) < net(some, 1024) <= replayed(some, None),
               "and tries the level that does")
    some = events(*(wide, neither) * 4)
    short, long = net(some, 256), net(some, learner.FOR_EVER)
    tap.result(long < 0.9 * short and 0.9 * replayed(some, None) < short,
               "times that change: a short memory is better", [short, long])
    pulls = [made_up.Event(n * 1000, 0, 10, True, True) for n in range(1, 9)]
    fails = [made_up.Event(n * 1000, 0, 10, False, True, idle=35)
             for n in range(9, 17)]
    # Memory of two: half of what was is left.  Pulls of 35 add up to 70, attempts of
    # 10 to 20, so 70 and 35 are followed by a try, and 18 is not.
    tap.result(net(pulls + fails, 2) == 8 * 25 - 2 * 10,
               "it does not know what is to come", [net(pulls + fails, 2)])
    # Passes of two levels: (its cost, what it won) of what was recorded or stands in.
    steps = [((10, 50), (5, 40)), ((10, 0), (5, 0)), ((10, 0), (5, 0)),
             ((10, 0), (30, 90)), ((10, 0), (5, 0)), ((10, 50), (5, 0))]
    made = [({d: made_up.Event(0, d, cost, won > 0) for d, (cost, won) in
              enumerate(step)}, None, max(won for _, won in step), 0) for step in steps]
    # What a pull wins is the pass's, 50 for both in the first; memory of two.  Before
    # each pass the narrow level has won and spent 0 0, 50 10, 25 15, 12 18, 6 19, 3 19;
    # the wide one 0 0, 50 5, 25 8, 12 9, 96 34, 48 22.  So the narrow one is tried in the
    # first three passes, and the wide one in all but the first, which a pull ended.
    tap.result(learner.net_of(made, 2) == (50 - 10) - 15 - 15 + (90 - 30) - 5 - 5,
               "a pull ends the pass, and wider levels are learnt of nevertheless",
               [learner.net_of(made, 2)])
    with tempfile.NamedTemporaryFile() as file:
        file.write(made_up.whole({0: some, 3: pulls}))
        file.flush()
        found = learner.learn(file.name, 1024, 30000, 5000, 200)
    reckoned = [[model.reckoned(e, 5000, 200) for e in each] for each in (some, pulls)]
    want = {memory: sum(net(each, memory, 30000) for each in reckoned) for memory in
            (64, 128, 256, 512, 1024, 2048, 4096, learner.FOR_EVER)}
    tap.result(found == want and len(set(found.values())) > 4,
               "all CPUs of a file, with times as they are taken to be", [found, want])


def test_learnt(tap):
    asked = []

    def learn(*words):
        asked.append(words)
        return dict(zip(learner.MEMORIES,
                        {"one": (9, 6, 0), "two": (0, 6, 8)}[words[0]]))

    whole, memories = learner.learn, learner.MEMORIES
    learner.learn, learner.MEMORIES = learn, (64, 128, 256)
    best = recordings.learnt(["one", "two"])
    learner.learn, learner.MEMORIES = whole, memories
    tap.result(best == (12, 128), "the memory that is best for all recordings", best)
    # In ns what newidle-replay is given in us; the oracle's first window.
    tap.result(asked == [(name, 1024, 8000000, 10000, 800) for name in ("one", "two")],
               "with the same assumptions as the policies", asked)


def cells(rounds):
    recordings.replayed = lambda tools, path, window, seed: rounds[int(path)][0]
    recordings.learnt = lambda paths: (800e6 * len(paths), 64)
    return recordings.row("", [str(n) for n in range(len(rounds))], "name").split(" | ")


def test_row(tap):
    each = 10e6 / STRETCHES
    same = [0] * (POLICIES - 2)
    found = cells([[results(steady(50 * each, *same, 90 * each))],
                   [results(steady(70 * each, *same, 60 * each))]])
    tap.result(found[:5] == ["| name", "200", "10.0 %", "10.0 %", "2000.0"],
               "sums of all rounds", found)
    tap.result(found[5] == "60" and found[4 + POLICIES] == "75",
               "percent of the oracle's", found)
    tap.result(found[-3] == "80 (64)", "the learner's share, and its memory", found)
    tap.result(found[-2].startswith("15 [") and found[-1] == "40, -10 |",
               "value less the best, of all and of each", found)
    found = cells([[results(steady(-each, *same, each), oracle=1e6)],
                   [results(steady(-each, *same, each), oracle=0)]])
    tap.result(found[5] == "-20 ms" and found[-1] == "10 ms, 10 ms |",
               "where next to nothing is to be won: ms", found)


def main():
    tap = Tap()
    for test in (test_found, test_make, test_against_best,
                 test_learner, test_learnt, test_row):
        test(tap)
    return tap.done()


sys.exit(main())
