#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""newidle record: what it does to the machine, and that nothing of it stays."""

import contextlib
import io
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from types import SimpleNamespace

sys.dont_write_bytecode = True
import recording
from command import KNOBS, NOBODY, Check, Machine, built_tools, interrupted, running
from ringbuffer import Instance, decide, done, pages, switch

TRACING = "/sys/kernel/tracing"
INSTANCES = TRACING + "/instances"
CHANGED = {"policy": "value", "rate": "0", "window": "64", "max_level": "smt"}
START = 10 ** 12
# A time by which a process of this run is known.
MARK = "1000.%d" % os.getpid()


def events(count):
    made = []
    for n in range(count):
        now = START + n * 100000
        made += [(now, decide(0, 1000)), (now + 10, done(0, 100)),
                 (now + 20, switch(50, 0)), (now + 5020, switch(0, 50))]
    return pages(made)


def with_tracing(m):
    m.put(TRACING + "/events/newidle/newidle_done/id", "1")
    os.makedirs(m.path(INSTANCES))
    for name, value in CHANGED.items():
        m.put(KNOBS + name, value)
    m.put("/proc/cpuinfo", "processor : 0\nmodel name\t: Made Up \x07 9000")
    for n, core in enumerate("0011"):
        m.put("/sys/devices/system/cpu/cpu%d/topology/physical_package_id" % n,
              core)


def kernel_makes(m, buffer, log):
    """What mkdir and rmdir in instances/ do."""
    def make(folder):
        log.append({name: m.get(KNOBS + name) for name in CHANGED})
        Instance(m.path(folder), buffer, overrun=2)

    def remove(folder):
        def get(name):
            with open(m.path(folder + "/" + name), encoding="ascii") as f:
                return f.read()
        if not os.path.exists(m.path(folder + "/tracing_on")):
            os.rmdir(m.path(folder))
            return
        log.append({"filter": get("events/sched/sched_switch/filter"),
                    "on": [get("events/%s/enable" % e) for e in (
                        "newidle/newidle_decide", "newidle/newidle_done",
                        "sched/sched_switch")],
                    "tracing": get("tracing_on"),
                    "buffer": get("buffer_size_kb"),
                    "knobs": {name: m.get(KNOBS + name) for name in CHANGED}})
        shutil.rmtree(m.path(folder))
    return make, remove


def record(m, log, buffer=b"", **options):
    """In this process; (exit status, what it printed, message)"""
    from newidle_lib import machine, record as command, tracing
    wanted = dict(dict(output=m.folder + "/file", seconds=None, buffer=4096,
                       command=[]), **options)
    real = tracing.make, tracing.remove
    tracing.make, tracing.remove = kernel_makes(m, buffer, log)
    try:
        with m.inside() as printed, \
                contextlib.redirect_stderr(io.StringIO()):
            try:
                return command.record(SimpleNamespace(**wanted)), \
                    printed.getvalue(), ""
            except machine.Failure as failure:
                return failure.status, printed.getvalue(), str(failure)
    finally:
        tracing.make, tracing.remove = real


def as_before(t, m, what):
    t.same(what + ": the knobs are as before",
           {name: m.get(KNOBS + name) for name in CHANGED}, CHANGED)
    t.same(what + ": no instance is left", os.listdir(m.path(INSTANCES)), [])


def test_records(t):
    with Machine() as m:
        with_tracing(m)
        log = []
        result = record(m, log, events(50),
                        command=["sh", "-c", "echo $1 > \"$2\"; cat \"$3\" >> \"$2\"",
                                 "sh", "ran", m.folder + "/ran",
                                 m.path(KNOBS + "policy")])
        t.said("a command", result, 0, "file: 50 attempts in ", " s; 2 lost",
               "went idle 50 times, 0.0 % of them without an attempt")
        with open(m.folder + "/ran", encoding="ascii") as f:
            t.same("it ran, under policy always", f.read(), "ran\nalways\n")
        as_before(t, m, "a command")
        t.same("the instance is made before knobs change", log[0], CHANGED)
        t.same("what is traced, and until when", log[-1], {
            "filter": "prev_pid == 0 || next_pid == 0", "on": ["1"] * 3,
            "tracing": "0", "buffer": "4096",
            "knobs": dict(CHANGED, policy="always", max_level="all")})
        with open(m.folder + "/file", "rb") as f:
            head, by_cpu, tail = recording.read(f.read())
        t.same("the file: events", (list(by_cpu), len(by_cpu[0]), {
            e.idle for e in by_cpu[0]}, tail["lost"]),
            ([0], 50, {5000}, ["2"]))
        t.same("the file: its head", [head.get(k) for k in (
            "kernel", "cpu", "topology", "native", "engine", "newidle")],
            [["6.12.74-amd64"], ["Made Up ? 9000"], ["2 sockets, 4 CPUs"],
             ["random"], ["gate"], ["0.1.0 ABCDEF"]])
        t.result(head["command"][0].startswith("sh -c echo $1"),
                 "the file: the command", [head])
        begin = time.monotonic()
        t.said("-t", record(m, [], b"", seconds=0.5), 0, "0 attempts")
        t.result(time.monotonic() - begin < 20, "-t: it ends")
        as_before(t, m, "-t")


def test_fails(t):
    with Machine() as m:
        with_tracing(m)
        t.said("the command fails", record(m, [], command=["sh", "-c",
                                                           "exit 7"]), 1,
               "0 attempts", err=["ended with status 7"])
        as_before(t, m, "the command fails")
        t.said("there is no such command", record(m, [], command=["/nowhere"]),
               1, err=["/nowhere: No such file"])
        as_before(t, m, "there is no such command")
        t.said("it can't write", record(m, [], output="/nowhere/file"), 1,
               err=["nothing is recorded"])
        as_before(t, m, "it can't write")
        os.makedirs(m.path(INSTANCES + "/newidle-record-999999"))
        os.makedirs(m.path(INSTANCES + "/somebodys"))
        record(m, [], seconds=0.2)
        t.same("what a killed one has left is removed, but nothing else",
               os.listdir(m.path(INSTANCES)), ["somebodys"])


def test_can_not(t):
    with Machine() as m:
        quick = ("record", "-o", m.folder + "/x", "-t", "0.1")
        t.said("no tracefs", m.run(*quick), 1, err=["mount -t tracefs"])
        m.put(TRACING + "/events/enable", "0")
        t.said("no events of newidle", m.run(*quick), 1,
               err=["no trace events on this kernel"])
        with_tracing(m)
        t.said("not built", m.run(*quick, NEWIDLE_TOOLS="/nowhere"), 1,
               err=["newidle-collect is not built"])
        m.put(KNOBS + "state", "shadowed")
        t.said("not active", m.run(*quick), 1, err=[
            "its state is shadowed", "unload that one"])
        m.put(KNOBS + "state", "active")
        m.fake("id", "echo 1000")
        t.said("as a user", m.run(*quick, user=NOBODY), 3,
               err=["only root may do this"])
        m.fake("id", "echo 0")
        for arguments in (["-t", "1"], ["-o"], ["-o", "x", "-t", "0"],
                          ["-o", "x", "--buffer", "1"]):
            t.said("record %s: wrong use" % " ".join(arguments),
                   m.run("record", *arguments), 2, err=["usage: "])
        m.unload()
        t.said("not loaded", m.run(*quick), 1, err=["not loaded"])


def child(folder):
    """In a process of its own, to be killed."""
    m = SimpleNamespace(
        folder=os.path.dirname(folder), path=lambda name: folder + name,
        get=lambda name: open(folder + name, encoding="utf-8").read().strip(),
        inside=None)
    from newidle_lib import machine, record as command, tracing
    machine.ROOT = folder
    tracing.make, tracing.remove = kernel_makes(m, events(3), [])
    return command.record(SimpleNamespace(
        output=m.folder + "/file", seconds=None, buffer=64,
        command=json.loads(sys.argv[3])))


def recording_policy(m):
    """In force while it records, None while it does not."""
    try:
        folder = m.path(INSTANCES)
        with open("%s/%s/tracing_on" % (folder, os.listdir(folder)[0]),
                  encoding="ascii") as f:
            return m.get(KNOBS + "policy") if f.read() == "1" else None
    except (OSError, IndexError):
        return None


def test_interrupted(t):
    for what, numbers, status, words in (
            ("^C", [signal.SIGINT], 0, "3 attempts"),
            ("SIGTERM", [signal.SIGTERM], 143, ""),
            ("SIGHUP", [signal.SIGHUP], 129, ""),
            ("^C several times", [signal.SIGINT] * 3 + [signal.SIGTERM], None,
             "")):
        with Machine() as m:
            with_tracing(m)
            policy, have, said = interrupted(
                m, [], lambda m=m: recording_policy(m), numbers)
            t.result(policy == "always" and have in (
                (status, ) if status is not None else (0, 130, 143)) and
                words in said and "Traceback" not in said, what,
                [policy, have, said])
            as_before(t, m, what)
    with Machine() as m:
        with_tracing(m)
        _, have, _ = interrupted(m, ["sleep", MARK], lambda: recording_policy(m),
                                 [signal.SIGTERM])
        t.same("SIGTERM with a command", have, 143)
        as_before(t, m, "SIGTERM with a command")
        t.same("SIGTERM: the command is gone", running(MARK), [])


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2])
    t = Check()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NEWIDLE_TOOLS"] = built_tools(t, folder)
        for test in (test_records, test_fails, test_can_not, test_interrupted):
            test(t)
    return t.done()


sys.exit(main())
