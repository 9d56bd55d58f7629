#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""newidle set and reset: all or none, and why not."""

import errno
import os
import sys
from types import SimpleNamespace

sys.dont_write_bytecode = True
from command import KNOBS, NOBODY, Check, Machine
from newidle_lib import knobs
from newidle_lib.machine import Failure


def test_set(t):
    with Machine() as m:
        t.said("set: silent", m.run("set", "policy=always", "rate=0"), 0)
        t.same("set: written", [m.get(KNOBS + n) for n in ("policy", "rate")],
               ["always", "0"])
        t.said("reset", m.run("reset"), 0)
        t.same("reset: writes 1", m.get(KNOBS + "reset"), "1")


def test_wrong_use(t):
    with Machine() as m:
        for arguments, words in (
                (["rate=0", "nonsense=1"], "no knob 'nonsense'; there are: "
                 "max_level policy rate window\n"),
                (["rate=0", "reset=1"], "no knob 'reset'"),
                (["rate=0", "engine=gate"], "the engine is chosen at load"),
                (["rate=0", "state=active"], "no knob 'state'"),
                (["rate=0", "stats=1"], "no knob 'stats'"),
                (["rate=0", "../x=1"], "no knob '../x'"),
                (["rate=0", "policy"], "'policy' is not of the form"),
                (["rate=0", "=1"], "'=1' is not of the form"),
                (["rate=0", "rate=1"], "rate is given twice"),
                ([], "required: KNOB=VALUE")):
            t.said("set %s: wrong use" % " ".join(arguments),
                   m.run("set", *arguments), 2, err=[words])
        t.same("wrong use: nothing is written", m.get(KNOBS + "rate"), "1")
        m.fake("id", "echo 1000")
        t.said("set, not root", m.run("set", "rate=0"), 3,
               err=["only root may do this"])
        t.said("reset, not root", m.run("reset"), 3,
               err=["only root may do this"])
        t.same("not root: nothing is written", m.get(KNOBS + "rate"), "1")
        m.unload()
        t.said("set, not loaded", m.run("set", "rate=0"), 1,
               err=["not loaded"])
        t.said("reset, not loaded", m.run("reset"), 1, err=["not loaded"])


def sealed(fd):
    """A file that is there and may be opened, but not written."""
    import fcntl
    os.write(fd, b"1024\n")
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)


def test_refused_for_real(t):
    with Machine() as m:
        fd = os.memfd_create("window", os.MFD_ALLOW_SEALING)
        sealed(fd)
        m.remove(KNOBS + "window")
        os.symlink("/proc/%d/fd/%d" % (os.getpid(), fd),
                   m.path(KNOBS + "window"))
        t.said("refused by a file", m.run(
            "set", "policy=always", "rate=0", "window=64", "max_level=smt"), 1,
               err=["window=64 is refused: ", "(EPERM)", "nothing is changed"])
        t.same("refused by a file: the others are as they were",
               [m.get(KNOBS + n) for n in ("policy", "rate")], ["random", "1"])
        t.same("refused by a file: what comes after is not written",
               m.get(KNOBS + "max_level"), "smt llc node [all]")
        os.close(fd)


class Kernel:
    """In place of the writer: notes what is written, refuses some."""

    def __init__(self, machine, refuses, logs=None):
        self.machine, self.refuses, self.logs = machine, refuses, logs
        self.written = []

    def write(self, name, value):
        self.written.append("%s=%s" % (name, value))
        number = self.refuses.get(self.written[-1])
        if not number:
            return
        if self.logs:
            self.machine.put("/log", self.machine.get("/log") + "\n" + self.logs)
        raise OSError(number, os.strerror(number))


def refused(m, kernel, *arguments):
    """(status, "", message) of a set with this kernel behind it."""
    real, knobs.write = knobs.write, kernel.write
    try:
        with m.inside():
            knobs.write_all(knobs.parse(arguments))
    except Failure as failure:
        return failure.status, "", str(failure)
    finally:
        knobs.write = real
    return 0, "", ""


def test_put_back(t):
    with Machine() as m:
        kernel = Kernel(m, {"window=3": errno.EINVAL},
                        "[200.0] newidle: window: bad value \"3\": must be so")
        t.said("bad value: the kernel's reason", refused(
            m, kernel, "policy=always", "rate=0", "window=3", "max_level=smt"),
               1, err=["window=3 is refused: bad value (EINVAL)",
                       "[200.0] newidle: window: bad value \"3\"",
                       "nothing is changed"])
        t.same("bad value: the earlier ones are put back, last first",
               kernel.written, ["policy=always", "rate=0", "window=3",
                                "rate=1", "policy=random"])

        kernel = Kernel(m, {"window=3": errno.EINVAL, "rate=1": errno.ESHUTDOWN})
        t.said("can't be put back: said, and the others are", refused(
            m, kernel, "policy=always", "rate=0", "window=3"), 1,
               err=["rate could not be put back to 1: newidle is being "
                    "switched off (ESHUTDOWN)"],
               absent=["nothing is changed", "[200.0]"])
        t.same("can't be put back: goes on with those before it",
               kernel.written[-1], "policy=random")

        for number, words in (
                (errno.ESHUTDOWN, "newidle is being switched off (ESHUTDOWN)"),
                (errno.EOPNOTSUPP, "lacks what this value needs (EOPNOTSUPP)"),
                (errno.ENODEV, "newidle was unloaded meanwhile (ENODEV)"),
                (errno.EIO, "Input/output error (EIO)")):
            t.said("refused with errno %d" % number,
                   refused(m, Kernel(m, {"rate=0": number}), "rate=0"), 1,
                   err=["rate=0 is refused: ", words, "nothing is changed"])
        m.fake("dmesg", "echo 'dmesg: read kernel buffer failed'; exit 1")
        t.said("log can't be read: the errno's meaning", refused(
            m, Kernel(m, {"rate=0": errno.EINVAL}), "rate=0"), 1,
               err=["bad value (EINVAL)"], absent=["read kernel buffer"])


def test_vanishes(t):
    with Machine() as m:
        real, knobs.values = knobs.values, lambda: {}
        try:
            t.said("unloaded before it is written", refused(
                m, Kernel(m, {}), "rate=0"), 1, err=["unloaded meanwhile"])
        finally:
            knobs.values = real


def test_reset_refused(t):
    with Machine() as m:
        real, knobs.write = knobs.write, Kernel(
            m, {"reset=1": errno.ESHUTDOWN}).write
        try:
            with m.inside():
                knobs.reset(SimpleNamespace())
            t.result(False, "reset refused: said")
        except Failure as failure:
            t.said("reset refused: said", (failure.status, "", str(failure)), 1,
                   err=["counters are not reset", "being switched off"])
        finally:
            knobs.write = real


def test_user(t):
    with Machine() as m:
        m.fake("id", 'exec /usr/bin/id "$@"')
        t.said("set as a user", m.run("set", "rate=0", user=NOBODY), 3,
               err=["only root may do this"])


def main():
    t = Check()
    test_set(t)
    test_wrong_use(t)
    test_refused_for_real(t)
    test_put_back(t)
    test_vanishes(t)
    test_reset_refused(t)
    test_user(t)
    return t.done()


sys.exit(main())
