#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Faults in what judges policies: the replay, and bench's statistics.

Each changes one place in a copy of the tree, and the test named must notice.  One
whose place is gone, or that is no program any more, fails: then the list has to
follow.
"""

import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from command import Check

TREE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))
BUILT = "the programs in C are built"

PLAY, MODEL = "scripts/replay/play.c", "scripts/replay/model.c"
STATS, VERDICT = "scripts/newidle_lib/stats.py", "scripts/newidle_lib/verdict.py"
# (file, test, faults), a fault: what it is, what is there, what comes there
FAULTS = (
    (PLAY, "replay.t", (
        ("oracle: the last choice instead of the best",
         "if (y.net > best[(n - 1) / m->a->window])", "if (1)"),
        ("oracle: one choice for all windows",
         "y->masks[n++ / m->a->window]", "y->masks[n / m->a->window]"),
        ("oracle: windows have the gains of those before",
         "\t\t\ty.net = 0;\n\t\t}\n\t}\n\tfree(best);",
         "\t\t}\n\t}\n\tfree(best);"),
        ("oracle: the last window is not judged",
         "if (++n % m->a->window && y.w.next < cpu->count)",
         "if (++n % m->a->window)"),
        ("oracle: chooses among two levels",
         "mask < 1ULL << bits", "mask < 1ULL << (bits < 2 ? bits : 2)"),
        ("oracle: goes on after a pull",
         "\t\t    try(y, p, d, 1, false))\n\t\t\treturn;",
         "\t\t    try(y, p, d, 1, false))\n\t\t\tcontinue;"),
        ("won: what the kernel takes for the average",
         "\tf->won += p->won;", "\tf->won += p->last->avg_idle;"),
        ("won: not in the stretches", "\ty->net += p->won;", "\t;"),
        ("spent: not in the stretches", "\ty->net -= e->cost;", "\t;"),
        ("levels above a pull: none",
         "p->at[d] = stand_in(w, d);", "p->at[d] = (stand_in(w, d), NULL);"),
        ("levels above a pull: and the one that pulled",
         "p->last->depth + 1U", "p->last->depth"),
        ("levels above a pull: always the same attempt",
         "w->turn[depth]++ % have", "0"),
        ("levels above a pull: what has not been yet",
         "seen < STAND_INS ? (unsigned int)seen : STAND_INS",
         "seen ? STAND_INS : 0"),
        ("a skip is not booked", "newidle_account(&y->state[d], y->set, &skip);",
         "(void)skip;"),
        ("max_level: a decision all the same",
         "y->figures[d].over_limit++;\n\t\t\tcontinue;",
         "y->figures[d].over_limit++;"),
        ("second look: beyond the cache", "y->width[d] > NEWIDLE_LLC ||", ""),
        ("second look: at what was tried",
         "!(skipped >> d & 1) ||", "!p->at[d] ||"),
        ("second look: costs are no matter",
         "!newidle_retry_fits(left, spent, y->highest[d].cost)", "0"),
        ("highest cost: never less", "h->cost * 253 / 256", "h->cost"),
    )),
    (MODEL, "replay.t", (
        ("won: not cut off", "e->idle = m->a->longest;", "e->idle += 0;"),
        ("won: what is not known counts as 0",
         "if (e->flags & EVENT_PULLED || !(e->flags & EVENT_IDLED))\n"
         "\t\t\tcontinue;\n\t\there.sum",
         "if (e->flags & EVENT_PULLED)\n\t\t\tcontinue;\n\t\there.sum"),
        ("won: the mean of all", "if (here.count)", "if (0)"),
        ("won: the kernel's average instead of the mean of all",
         "if (all->count)", "if (0)"),
        ("windows one pass longer", "++passes < m->a->window",
         "passes++ < m->a->window"),
        ("cost limit: none", "if (cost > m->a->cost_limit)", "if (0)"),
        ("cost limit: what is above is left out",
         "\t\tcost = m->a->cost_limit;", "\t\tcost = 0;"),
        ("cost limit: after the percentage",
         "cost > m->a->cost_limit", "cost * m->a->cost_pct / 100 > m->a->cost_limit"),
        ("cost percentage: none", "cost * m->a->cost_pct / 100", "cost"),
        ("cost percentage: beyond 4.3 s it begins at 0",
         "cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX", "(uint32_t)cost"),
        ("half of the time: all of it",
         "2 * (sum + size[s].sum) <= whole", "sum + size[s].sum <= whole"),
    )),
    (STATS, "bench_stats.t", (
        ("rank test: one-sided", "(1 - level) / 2 * whole", "(1 - level) * whole"),
        ("rank test: cuts off one more", "return u - 1 if u else None",
         "return u if u else None"),
        ("rank test: orders counted wrongly", "counts[u + n] += ways",
         "counts[u] += ways"),
        ("interval: lopsided", "differences[-1 - cut]", "differences[-1]"),
        ("change: the mean of the ends", "return median(differences), differences",
         "return sum(differences) / len(differences) + 1, differences"),
        ("blocks: what they have in common stays", "middle = median(",
         "middle = 0 * median("),
        ("blocks: half ones count", "if len(pairs) < most:", "if False:"),
        ("quantile: none in between", " * (place - low)", " * 0"),
        ("median: of an even number", "if len(ordered) % 2:", "if True:"),
    )),
    (VERDICT, "bench_stats.t", (
        ("level: the same for any number of variants",
         "1 - ERRORS / max(1, comparisons)", "1 - ERRORS"),
        ("spread of equal arms is no matter",
         ' or abs(pair["change"]) <= spread', ""),
        ("interval is no matter", 'pair["low"] <= 0 <= pair["high"] or ', ""),
        ("spread: unknown is none", 'pair["low"] is None or spread is None',
         'pair["low"] is None'),
        ("lower is taken for better", '(pair["change"] > 0) == (better == "higher")',
         'pair["change"] < 0'),
        ("equal arms are never unsteady",
         'return "as it should be" if pair["low"] <= 0 <= pair["high"] else '
         '"unsteady"', 'return "as it should be"'),
        ("the cost test is no matter", "> KEPT_AWAY:", "> 2:"),
        ("figures instead of their logarithms",
         'math.log(run["figure"])', 'run["figure"]'),
    )),
)


def noticed(tree, test):
    """What the test says first of a fault; None if it passes.  Raises
    AssertionError if the fault is no program."""
    with subprocess.Popen(
            [sys.executable, "tests/unit/" + test], cwd=tree,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True) as process:
        last = ""
        for line in process.stdout:
            last = line.strip() or last
            assert not (line.startswith("not ok") and BUILT in line), "not built"
            if line.startswith("not ok"):
                process.kill()
                return line.strip().split(" - ", 1)[-1]
    assert "ModuleNotFoundError" not in last, last
    # A test that dies has noticed too.
    return last if process.returncode else None


def put(path, text):
    if path.endswith(".py"):
        compile(text, path, "exec")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def try_one(t, tree, name, test, fault):
    what, old, new = fault
    path = "%s/%s" % (tree, name)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if text.count(old) != 1:
        t.result(False, what, ["%d such places in %s" % (text.count(old), name)])
        return
    try:
        put(path, text.replace(old, new))
        said = noticed(tree, test)
        t.result(said is not None, "%s: %s" % (
            what, said and "noticed by: " + said[:60]), ["no test noticed"])
    except (AssertionError, SyntaxError) as error:
        t.result(False, what, [error])
    finally:
        put(path, text)


def main():
    t = Check()
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as tree:
        for folder in ("module", "scripts", "tests/style", "tests/unit"):
            shutil.copytree("%s/%s" % (TREE, folder), "%s/%s" % (tree, folder),
                            ignore=shutil.ignore_patterns("*.o", "built"))
        for test in sorted({test for _, test, _ in FAULTS}):
            t.same(test + " passes as it is", noticed(tree, test), None)
        for name, test, faults in FAULTS:
            for fault in faults:
                if not wanted or any(word in fault[0] for word in wanted):
                    try_one(t, tree, name, test, fault)
    return t.done()


sys.exit(main())
