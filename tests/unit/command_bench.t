#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""newidle bench: what it runs when, what it writes, and that knobs return."""

import contextlib
import io
import json
import os
import re
import signal
import sys
import xml.dom.minidom
from types import SimpleNamespace

sys.dont_write_bytecode = True
from command import KNOBS, NOBODY, Check, Machine, interrupted, running

CHANGED = {"policy": "bresenham", "rate": "0", "window": "64",
           "max_level": "smt"}
HEAD = "cpu depth level name span calls attempts skips pulls cost_ns " \
    "retries retry_pulls over_budget kernel_max_ns"
# A time by which a process of this run is known.
MARK = "1000.%d" % os.getpid()
# A workload whose figure depends on the policy.
FIGURE = """\
read -r policy < "$ROOT$KNOBS/policy"
echo "$policy $(cat "$ROOT$KNOBS/rate")" >> "$ROOT/ran"
case $policy in
value) echo "done: 80.$(($$ % 10)) of it" ;;
*) echo "done: 100.$(($$ % 10)) of it" ;;
esac"""
PLAIN = dict(workload=None, cmd=FIGURE, metric=r"done: ([\d.]+)",
             better="higher", unit="its", variant=None, runs=10, time=None,
             seconds=1, timeout=60.0, no_warm_up=False, seed=4, output=None)


def prepared(m, kernel_max=1000, over_budget=0):
    for name, value in CHANGED.items():
        m.put(KNOBS + name, value)
    m.put(KNOBS + "retry", "0")
    m.put("/proc/stat", "cpu  10 20 30 40 50 60 70 0 0 0\nctxt 12345")
    m.table(HEAD, *["%d 0 0 MC 4 100 50 50 5 9000 0 0 %d %d" %
                    (cpu, over_budget, kernel_max) for cpu in range(4)])


def knobs(m):
    return {name: m.get(KNOBS + name) for name in CHANGED}


def set_up(m):
    """Before anything of the library is called."""
    from newidle_lib import variants
    variants.SETTLE = 0
    os.environ.update(ROOT=m.root, KNOBS=KNOBS.rstrip("/"))


def bench(m, **options):
    """In this process; (exit status, what it printed, message)"""
    from newidle_lib import bench as command, machine
    set_up(m)
    wanted = dict(PLAIN, output=m.folder + "/result", **options)
    with m.inside() as printed, \
            contextlib.redirect_stderr(io.StringIO()):
        try:
            return command.bench(SimpleNamespace(**wanted)), \
                printed.getvalue(), ""
        except machine.Failure as failure:
            return failure.status, printed.getvalue(), str(failure)


def result(m):
    with open(m.folder + "/result.json", encoding="utf-8") as f:
        return json.load(f)


def as_before(t, m, what):
    t.same(what + ": the knobs are as before", knobs(m), CHANGED)


def test_session(t):
    with Machine() as m:
        prepared(m)
        said = bench(m)
        t.said("a session", said, 0, "stock (again)", "worse", "no difference",
               "its, higher is better; 5 blocks of 8 runs", "block 5",
               "warm-up", " left", "Equal runs differ by up to",
               "result.json has all")
        as_before(t, m, "a session")
        ran = m.get("/ran").splitlines()
        t.same("each arm ten times, and warm-ups", sorted(
            (one, ran.count(one)) for one in set(ran)),
            [("random 0", 11), ("stock 0", 21), ("value 0", 11)])
        found = result(m)
        t.same("JSON: runs in the order in which they ran", [
            r["arm"].replace("stock (again)", "stock").replace(
                "policy=", "").partition(",")[0] for r in found["runs"]],
            [line.split()[0] for line in ran])
        pairs = {p["arm"]: p for p in found["results"]}
        t.result(-21 < pairs["policy=value"]["low_pct"] <= pairs[
            "policy=value"]["change_pct"] < -19, "JSON: the change",
                 [pairs["policy=value"]])
        run = found["runs"][-1]
        t.result(run["levels"]["MC"]["attempts"] == 0 and
                 run["context_switches"] == 0 and run["workload_cpu_s"] > 0 and
                 run["migrations"] is None and run["machine_cpu_s"] == 0,
                 "JSON: what was counted", [run])
        t.same("JSON: the session", [found[k] for k in (
            "whole", "seed", "blocks", "knobs_before")][:3], [True, 4, 5])
        t.same("JSON: where", [found["environment"][k] for k in (
            "kernel", "engine", "native", "newidle")],
            ["6.12.74-amd64", "gate", "random", "0.1.0 ABCDEF"])
        with open(m.folder + "/result.html", encoding="utf-8") as f:
            page = f.read()
        svg = re.search(r"<svg.*</svg>", page, re.S)
        drawn = xml.dom.minidom.parseString(svg.group())
        t.same("the page: a point for each run that counts",
               len(drawn.getElementsByTagName("circle")), 40)
        points = [(float(c.getAttribute("cx")), float(c.getAttribute("cy")))
                  for c in drawn.getElementsByTagName("circle")]
        t.result(all(200 < x < 900 and 0 < y < 240 for x, y in points),
                 "the page: they are on it", points)
        t.same("the page: nothing from elsewhere", re.findall(
            r"(?:src|href|url|@import|script)\b.{0,20}", page), [])
        t.result("worse" in page and "6.12.74-amd64" in page,
                 "the page: the table, and where")
        lines = said[1].splitlines()
        t.result(max(map(len, lines)) <= 80 + len(m.folder) * 2,
                 "lines fit a terminal", lines)


def test_variants(t):
    with Machine() as m:
        prepared(m)
        os.environ["OUT"] = m.folder
        said = bench(m, runs=2, no_warm_up=True, variant=[
            "policy=value,rate=1", "stock",
            "mine:echo $$ >> \"$OUT/mine\"; exec sleep 1000.75"])
        t.said("programs as variants, the first is what others are compared "
               "with", said, 0, "policy=value,rate=1 (again)", "mine")
        ran = m.get("/ran").splitlines()
        t.same("knobs that a variant does not name are as at the beginning",
               sorted(set(ran)), ["stock 0", "value 1"])
        with open(m.folder + "/mine", encoding="ascii") as f:
            pids = f.read().split()
        t.same("the program is started for each of its runs", len(pids), 2)
        t.same("and ended", [p for p in pids if os.path.exists(
            "/proc/" + p)], [])
        as_before(t, m, "programs")
        t.said("one that ends by itself", bench(
            m, variant=["stock", "bad:exit 3"], runs=2, cmd="sleep 3"), 1,
            err=["ended by itself with status 3"])
        as_before(t, m, "one that ends by itself")
        for words, why in ((["x"], "is not stock"),
                           (["stock", "nonsense=1"], "no knob 'nonsense'"),
                           (["stock", "stock"], "given twice"),
                           (["policy="], "is not stock")):
            t.said("variant %s" % words[-1], bench(m, variant=words), 2,
                   err=[why])
        as_before(t, m, "wrong use")


def test_fails(t):
    with Machine() as m:
        prepared(m)
        t.said("a workload that fails", bench(m, cmd="echo why; exit 9"), 1,
               err=["failed 3 times", "why"])
        as_before(t, m, "a workload that fails")
        t.said("no figure", bench(m, cmd="echo nothing"), 1,
               err=["failed 3 times", "nothing"])
        t.said("it takes too long", bench(m, cmd="sleep 1000.75", timeout=0.6),
               1, err=["failed 3 times"])
        as_before(t, m, "it takes too long")
        once = 'n=$(cat "$ROOT/n" 2> /dev/null); echo "$n." > "$ROOT/n"; ' \
            '[ "$n" = ....... ] || ' + FIGURE.replace("\n", "\n")
        t.said("one run of many fails", bench(m, cmd="(%s)" % once.replace(
            "|| read", "|| { :; }; [ \"$n\" = ....... ] && exit 1; read")), 0,
            "failed", "worse", "4 blocks of 8 runs")
        from newidle_lib import variants
        real, state = variants.Switch.set_knobs, []

        def refused(self, variant):
            state.append(variant.name)
            if len(state) > 6:
                raise OSError(22, "Invalid argument")
            real(self, variant)
        variants.Switch.set_knobs = refused
        try:
            bench(m)
            t.result(False, "a knob that is refused half way")
        except OSError:
            t.result(len(state) == 7, "a knob that is refused half way", state)
        variants.Switch.set_knobs = real
        as_before(t, m, "a knob that is refused half way")


def test_no_verdict(t):
    for what, more in (("swap", {"over_budget": 0}), ("gate", {
            "kernel_max": 5000000})):
        with Machine() as m:
            prepared(m, **more)
            m.put("/sys/kernel/debug/sched/debug", "".join(
                "cpu#%d, 2.0 MHz\n  .avg_idle  : 1000000\n" % cpu
                for cpu in range(4)))
            grow = "" if what == "gate" else \
                'n=$(cat "$ROOT/n" 2> /dev/null || echo 0); n=$((n + 1)); ' \
                'echo $n > "$ROOT/n"; printf "# %s\\n0 0 0 MC 4 $((100 + n)) ' \
                '50 50 5 9000 0 0 $((n * 9)) 1\\n" > "$ROOT/new"; ' \
                'mv "$ROOT/new" "$ROOT/sys/kernel/debug/newidle/domains"; ' \
                % HEAD
            if grow:
                m.table(HEAD, "0 0 0 MC 4 100 50 50 5 9000 0 0 0 1")
            t.said("the kernel asks no policy: " + what, bench(
                m, cmd=grow + FIGURE), 0, "no verdict",
                "the kernel took an attempt to cost", absent=["worse"])


def test_too_dear(t):
    from newidle_lib import measure
    with Machine() as m:
        prepared(m, kernel_max=300000)
        with m.inside():
            unknown = measure.too_dear()
        m.put("/sys/kernel/debug/sched/debug", "".join(
            "cpu#%d, 2000.000 MHz\n  .nr_running                    : 0\n"
            "  .avg_idle                      : %d\n"
            "  .max_idle_balance_cost         : 500000\n\ncfs_rq[%d]:/\n"
            "  .avg_idle                      : 5\n" % (cpu, idle, cpu)
            for cpu, idle in enumerate((20000, 400000, 299999, 300001))))
        with m.inside():
            known = measure.too_dear()
        t.same("attempts that cost more than CPUs idle, while it runs",
               (unknown, known), (None, 0.5))
        t.said("seen in a session", bench(
            m, cmd="sleep 0.7; " + FIGURE, runs=2, no_warm_up=True), 0)
        t.same("kept with each run", {r["kept_away"] for r in
                                      result(m)["runs"]}, {0.5})


def test_words(t):
    with Machine() as m:
        prepared(m)
        t.said("not installed", m.run("bench", "fio"), 1,
               err=["fio is not installed: apt-get install fio"])
        for name in ("schbench", "sembench"):
            t.said("built in nowhere", m.run("bench", name), 1,
                   err=[name + " is not installed; newidle does not bring it"])
        for arguments in ([], ["fio", "--cmd", "x"], ["nonsense"],
                          ["--cmd", "x", "--metric", "(y)"],
                          ["--cmd", "x", "--metric", "y", "--better", "lower"],
                          ["--cmd", "x", "--metric", "(", "--better", "lower"],
                          ["fio", "-n", "0"], ["fio", "--time", "0"]):
            t.said("bench %s: wrong use" % " ".join(arguments),
                   m.run("bench", *arguments), 2)
        m.fake("id", "echo 1000")
        t.said("as a user", m.run("bench", "--cmd", "true", user=NOBODY), 3,
               err=["only root may do this"])
        m.fake("id", "echo 0")
        m.put(KNOBS + "state", "transition")
        t.said("not active", m.run("bench", "--cmd", "true"), 1,
               err=["its state is transition"])
        m.unload()
        t.said("not loaded", m.run("bench", "--cmd", "true"), 1,
               err=["not loaded"])


def child(root):
    """In a process of its own, to be killed."""
    from newidle_lib import bench as command, machine
    machine.ROOT = root
    set_up(SimpleNamespace(root=root))
    return command.bench(SimpleNamespace(**dict(
        PLAIN, output=os.path.dirname(root) + "/result", **json.loads(
            sys.argv[3]))))


def test_interrupted(t):
    def ran(m, count):
        try:
            return len(m.get("/ran").splitlines()) >= count
        except OSError:
            return False

    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143),
                           (signal.SIGHUP, 129)):
        with Machine() as m:
            prepared(m)
            _, have, said = interrupted(m, {"runs": 100},
                                        lambda m=m: ran(m, 13), [number], 240)
            name = signal.Signals(number).name
            t.result(have == status and "Traceback" not in said, name,
                     [have, said])
            as_before(t, m, name)
            t.same(name + ": what is there is shown after ^C alone",
                   (os.path.exists(m.folder + "/result.json"),
                    "verdict" in said), (number == signal.SIGINT, ) * 2)
    with Machine() as m:
        prepared(m)
        _, have, _ = interrupted(
            m, {"cmd": "echo >> \"$ROOT/ran\"; sleep %s & sleep %s" % (MARK, MARK)},
            lambda: ran(m, 1), [signal.SIGTERM], 240)
        as_before(t, m, "in the middle of a run")
        t.same("in the middle of a run: the workload is gone", (have, running(MARK)), (143, []))


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2])
    t = Check()
    for test in (test_session, test_variants, test_fails, test_no_verdict,
                 test_too_dear, test_words, test_interrupted):
        test(t)
    return t.done()


sys.exit(main())
