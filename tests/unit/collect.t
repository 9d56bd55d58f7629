#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""newidle-collect: from pages of the ring buffer to a recording."""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import recording
from command import Check, built_tools
from ringbuffer import (PAGE, Instance, absolute, decide, done, dropped,
                        extended, packed, page, pages, switch)

START = 5 * 10 ** 15
FIELDS = ("time", "depth", "cost", "pulled", "first", "avg_idle", "idle")


class Collect:
    def __init__(self, tools, folder):
        self.tools, self.folder, self.count = tools, folder, 0
        self.file = folder + "/recording"

    def instance(self, *buffers, **more):
        self.count += 1
        return Instance("%s/%d" % (self.folder, self.count), *buffers, **more)

    def run(self, instance, file=None, head="kernel made up\n"):
        done_ = subprocess.run(
            [self.tools + "/newidle-collect", instance.folder,
             file or self.file, head], check=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return done_.returncode, done_.stdout, done_.stderr

    def read(self, *buffers, **more):
        """What is in the recording, and what was said."""
        status, out, err = self.run(self.instance(*buffers, **more))
        if status:
            return {}, {"failed": [err]}, None
        with open(self.file, "rb") as f:
            _, by_cpu, tail = recording.read(f.read())
        return by_cpu, tail, json.loads(out.splitlines()[1])


def rows(by_cpu, cpu=0):
    return [tuple(getattr(e, f) for f in FIELDS) for e in by_cpu.get(cpu, [])]


def at(*events):
    """Events some us apart, (time since START in us, data)."""
    return [(START + int(1000 * us), data) for us, data in events]


def test_passes(t, collect):
    by_cpu, tail, said = collect.read(pages(at(
        (10, decide(0, 111, b"SMT")), (12, done(0, 2000)),
        (13, decide(1, 222)), (16, done(1, 3000)),
        # It goes idle, for 84 us.
        (17, switch(50, 0)), (101, switch(0, 60)),
        # Pulled at once: nothing is known of idling.
        (200, decide(0, 333)), (201, done(0, 900, pulled=True, pid=60)),
        # Failed, but a task had come: it did not idle.
        (300, decide(0, 444)), (301, done(0, 1000, pid=60)),
        (302, decide(1, 444)), (303, done(1, 1000, pid=60)),
        # The next pass; then it idles behind another task's visit.
        (400, decide(0, 555)), (401, done(0, 1000, pid=60)),
        (450, switch(70, 0)), (500, switch(0, 70)),
        # The kernel's cost test ended this one before the second domain.
        (600, decide(0, 666)), (601, done(0, 700, pid=70)),
        (602, decide(1, 666, is_try=False, reason=1)), (603, switch(70, 0)),
        # And here the recording ends.
    )))
    t.same("passes", rows(by_cpu), [
        (START + 12000, 0, 2000, False, True, 111, None),
        (START + 16000, 1, 3000, False, False, 222, 84000),
        (START + 201000, 0, 900, True, True, 333, None),
        (START + 301000, 0, 1000, False, True, 444, None),
        (START + 303000, 1, 1000, False, False, 444, 0),
        (START + 401000, 0, 1000, False, True, 555, 0),
        (START + 601000, 0, 700, False, True, 666, None)])
    t.same("what is told of them", [tail.get(k) for k in (
        "lost", "idled", "unasked", "budget", "level")],
        [["0"], ["3"], ["1"], ["1"], ["0 0 SMT", "0 1 MC"]])
    t.same("and said", {k: said[k] for k in ("events", "lost", "idled",
                                             "unasked", "budget")} if said else
           None, {"events": 7, "lost": 0, "idled": 3, "unasked": 1,
                  "budget": 1})


def test_buffer(t, collect):
    first = at((0, decide(0, 5)), (1, done(0, 1000)))
    data = packed(0, first[0][1], True) + packed(1000, first[1][1], True) + \
        dropped(24) + extended(5 * 10 ** 12) + packed(7, switch(50, 0))
    by_cpu, _, _ = collect.read(page(START, data) +
                                page(START + 6 * 10 ** 12,
                                     packed(0, switch(0, 9))))
    t.same("lengths of both kinds, what was dropped, long times",
           rows(by_cpu), [(START + 1000, 0, 1000, False, True, 5,
                           2 ** 32 - 1)])
    data = packed(0, decide(0, 5)) + packed(9, done(0, 1000)) + \
        packed(1, switch(50, 0)) + absolute(START + 77010) + \
        packed(0, switch(0, 9))
    by_cpu, _, _ = collect.read(page(START, data))
    t.same("an absolute time", rows(by_cpu),
           [(START + 9, 0, 1000, False, True, 5, 77000)])

    # What follows a gap is no end of what came before it.
    by_cpu, tail, _ = collect.read(
        page(START, packed(0, done(0, 1000)) + packed(9, switch(50, 0))) +
        page(START + 10 ** 6, packed(0, switch(0, 9)) +
             packed(100, done(0, 1000)) + packed(1, switch(50, 0)) +
             packed(500, switch(0, 9)), missed=True), overrun=3)
    t.same("a gap", rows(by_cpu), [
        (START, 0, 1000, False, True, 0, None),
        (START + 10 ** 6 + 100, 0, 1000, False, True, 0, 500)])
    t.same("lost events are counted", tail.get("lost"), ["3"])

    many = []
    for n in range(12000):
        now = START + n * 100000
        many += [(now, decide(0, 1000 + n)), (now + 10, done(0, 100 + n % 7)),
                 (now + 20, switch(50, 0)), (now + 20 + n, switch(0, 50))]
    by_cpu, tail, _ = collect.read(pages(many), b"", pages(many[:4000]))
    t.same("many, on several CPUs", [(len(rows(by_cpu, cpu)), rows(by_cpu, cpu)[
        -1][-1] if rows(by_cpu, cpu) else None) for cpu in range(3)],
        [(12000, 11999), (0, None), (1000, 999)])
    t.same("each CPU's lost events", tail.get("lost"), ["3"])


def test_bad(t, collect):
    good = pages(at((0, decide(0, 5)), (1, done(0, 1000))))
    for what, name, text, words in (
            ("a field is missing", "events/newidle/newidle_done/format",
             "field:int cpu;\toffset:16;\tsize:4;", "another format"),
            ("another page", "events/header_page",
             "\tfield: char data;\toffset:24;\tsize:4072;\n", "another format")):
        instance = collect.instance(good)
        instance.put(name, text)
        t.said(what, collect.run(instance), 1, err=[words])
    full = page(START, packed(1, done(0, 9, True)) * 102)
    for what, data in (
            ("more in a page than there is", full[:8] + b"\xff\xff" + full[10:]),
            ("an event that ends behind its page", page(
                START, packed(0, done(0, 9))[:20])),
            ("a length that is not there", page(START, b"\0\0\0\0"))):
        t.said(what, collect.run(collect.instance(data)), 1,
               err=["another format"])
    instance = collect.instance(good)
    os.unlink(instance.folder + "/events/sched/sched_switch/id")
    t.said("an event is missing", collect.run(instance), 1,
           err=["sched_switch/id: No such file"])
    t.said("no CPU", collect.run(collect.instance()), 1, err=["newidle: "])
    t.said("no such folder", collect.run(
        collect.instance(good), "/nowhere/file"), 1, err=["No such file"])
    many = pages([(START + n * 9, done(0, 100, True)) for n in range(40000)])
    t.said("no room", collect.run(collect.instance(many), "/dev/full"), 1,
           err=["No space left"])
    t.said("nothing happened", collect.run(collect.instance(b"")), 0,
           '"events": 0')

    # Nonsense in pages: no harm, and nothing that could not be read again.
    dice, ended = random.Random(7), [0, 0]
    events = pages(at(*[(n, (decide(n % 3, n), done(n % 3, 5), switch(5, 0),
                             switch(0, 5))[n % 4]) for n in range(120)]))
    for _ in range(50):
        data = bytearray(events)
        for _ in range(dice.randrange(1, 6)):
            place = dice.randrange(8, 2000)
            data[place:place + 4] = dice.choice(
                (b"\xff\xff\xff\xff", b"\0\0\0\0", dice.randbytes(4)))
        status, _, err = collect.run(collect.instance(bytes(data[:PAGE * 2])))
        if status not in (0, 1) or "Sanitizer" in err or "runtime" in err:
            t.result(False, "nonsense does no harm", [status, err])
            return
        ended[status] += 1
        if status == 0:
            with open(collect.file, "rb") as f:
                recording.read(f.read())
    t.result(min(ended) > 3, "nonsense does no harm", [ended])


def main():
    t = Check()
    with tempfile.TemporaryDirectory() as folder:
        collect = Collect(built_tools(t, folder), folder)
        for test in (test_passes, test_buffer, test_bad):
            test(t, collect)
    return t.done()


sys.exit(main())
