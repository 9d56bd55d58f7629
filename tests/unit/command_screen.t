#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""newidle watch on a terminal: draws, fits, ends, and leaves it as it was."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import threading
import time

sys.dont_write_bytecode = True
from command import KNOBS, SCRIPTS, Check, Machine
from newidle_lib import watch

PATIENCE = 30
LEVELS = ("SMT", "MC", "PKG", "NUMA")
# What changes the tree's directories does so alone.
CHANGING = threading.Lock()


def grow(m, stop):
    """Counters that grow: half of the decisions are skips."""
    n = 0
    while not stop.is_set():
        n += 10
        with CHANGING:
            m.table("cpu level name calls attempts skips pulls cost_ns", *(
                "%d %d %s %d %d %d %d %d" % (cpu, level, name, 2 * n, n, n,
                                             n // 10, 1000 * n)
                for cpu in range(2) for level, name in enumerate(LEVELS)))
        stop.wait(0.02)


class Terminal:
    """with Terminal(m, 80, 24) as t: one on which watch runs."""

    def __init__(self, machine, columns=80, rows=24, arguments=("-n", "0.2"),
                 **env):
        self.output = ""
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.before = self.settings()
        self.pid = os.fork()
        if not self.pid:
            self.child(machine, arguments, env)

    def child(self, machine, arguments, env):
        try:
            os.close(self.master)
            os.login_tty(self.slave)
            os.execve(sys.executable, [sys.executable, SCRIPTS + "/newidle",
                                       "watch", *arguments],
                      dict(machine.environment(), **env))
        finally:
            os._exit(99)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self.master)
        os.close(self.slave)

    def resize(self, columns, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def settings(self):
        return termios.tcgetattr(self.slave)

    def read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            self.output += os.read(self.master, 65536).decode()

    def until(self, condition):
        """Reads on until that is so, with patience."""
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                return False
            self.read(0.05)
        return True

    def shows(self, text, since=0):
        return self.until(lambda: text in self.output[since:])

    def press(self, key):
        os.write(self.master, key.encode())

    def end(self):
        """Its exit status; negative if a signal ended it."""
        status = []

        def gone():
            pid, code = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                status.append(os.waitstatus_to_exitcode(code))
            return pid

        return status[0] if self.until(gone) else None

    def stopped(self):
        return self.until(
            lambda: os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)[0])

    def frames(self, since=0):
        """What stood on the screen, as lists of lines."""
        shown = self.output[since:].split("\x1b[?1049l")[0]
        for frame in shown.split("\x1b[H")[1:]:
            if frame.endswith("\x1b[J"):
                # The terminal puts a return of its own before each newline.
                yield frame[:-3].replace("\x1b[K", "").replace(
                    "\r", "").split("\n")

    def draws(self, text, since=0):
        """shows(), in a frame that has come as a whole."""
        return self.until(lambda: any(text in line for frame in
                                      self.frames(since) for line in frame))


def fits(frames, columns, rows):
    return bool(frames) and all(
        len(frame) <= rows and all(len(line) <= columns for line in frame)
        for frame in frames)


def left_alone(t, what, term):
    term.read(0.1)
    t.result(term.settings() == term.before, what + ": settings are back")
    t.result(term.output.rfind("\x1b[?1049l") > term.output.rfind("\x1b[?1049h")
             and term.output.rfind("\x1b[?25h") > term.output.rfind("\x1b[?25l"),
             what + ": the screen and its cursor are back", [term.output[-300:]])


def test_draws(t, m):
    with Terminal(m) as term:
        t.result(term.shows("looking for 0.2 s; q quits"), "draws at once")
        t.result(term.draws("  50.0 "), "draws figures", [term.output])
        t.result(term.settings() != term.before, "keys come at once")
        frame = list(term.frames())[-1]
        t.same("levels, lowest first", [line.split()[0] for line in frame[2:7]],
               list(LEVELS) + ["all"])
        t.result(frame[0].endswith("state active, policy random, engine gate")
                 and frame[1].split()[:2] == ["level", "decisions/s"],
                 "state, and a head", frame)
        t.result(fits(list(term.frames()), 80, 24), "fits 80x24", frame)
        term.press("x")
        term.press("q")
        t.same("q quits", term.end(), 0)
        left_alone(t, "q", term)


def test_sizes(t, m):
    with Terminal(m, 40, 6) as term:
        t.result(term.draws("more lines"), "few lines: says that some are missing")
        frames = list(term.frames())
        t.result(fits(frames, 40, 6), "fits 40x6", frames)
        t.result("success%" not in term.output and "pulls/s" in term.output,
                 "few columns: whole ones only", frames)
        for columns, rows, words in ((10, 3, "too small"), (79, 24, "NUMA"),
                                     (80, 1, "too small")):
            since = len(term.output)
            term.resize(columns, rows)
            os.kill(term.pid, signal.SIGWINCH)
            t.result(term.draws(words, since), "resized to %dx%d" %
                     (columns, rows))
            last = list(term.frames(since))[-1:]
            t.result(fits(last, columns, rows), "fits %dx%d" % (columns, rows),
                     last)
        term.press("q")
        t.same("resized: q quits", term.end(), 0)
    for columns in range(20, 81):
        line = watch.row(["1234567"] * 9, columns)
        if len(line) > columns or any(
                w != "1234567" for w in line.split()):
            t.result(False, "no number is cut at %d columns" % columns, [line])
    t.result(watch.row(["x"] * 9, 80).split() == ["x"] * 9,
             "80 columns hold all")


def test_signals(t, m):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                   signal.SIGQUIT):
        with Terminal(m) as term:
            term.shows(" 50.0 ")
            os.kill(term.pid, number)
            t.same("%s: status" % number.name, term.end(), 128 + number)
            left_alone(t, number.name, term)
    with Terminal(m, arguments=("-n", "600")) as term:
        term.shows("looking for 600 s")
        since = len(term.output)
        term.resize(70, 20)
        os.kill(term.pid, signal.SIGWINCH)
        t.result(term.shows("looking", since), "resized: drawn at once")
        os.kill(term.pid, signal.SIGTERM)
        t.same("a signal does not wait for the next look", term.end(), 143)
    with Terminal(m) as term:
        term.shows(" 50.0 ")
        term.press("\x03")
        t.same("Ctrl-C: status", term.end(), 130)
        left_alone(t, "Ctrl-C", term)
    with Terminal(m) as term:
        term.shows(" 50.0 ")
        os.kill(term.pid, signal.SIGTSTP)
        t.result(term.stopped(), "stopped")
        left_alone(t, "stopped", term)
        since = len(term.output)
        os.kill(term.pid, signal.SIGCONT)
        t.result(term.shows(" 50.0 ", since) and "\x1b[?1049h" in
                 term.output[since:], "goes on: draws again")
        t.result(term.settings() != term.before, "goes on: keys come at once")
        term.press("q")
        t.same("goes on: q quits", term.end(), 0)
        left_alone(t, "after that", term)


def test_ends(t, m):
    with Terminal(m, arguments=("-n", "0.1", "-c", "2")) as term:
        t.same("-c: ends by itself", term.end(), 0)
        left_alone(t, "-c", term)
        after = term.output.split("\x1b[?1049l")[-1]
        t.result("decisions/s" in after and "NUMA" in after,
                 "the last figures stay", [after])
    with Terminal(m, TERM="dumb", arguments=("-n", "0.1", "-c", "1")) as term:
        t.same("a dumb terminal: lines", term.end(), 0)
        t.result("\x1b" not in term.output and "SMT" in term.output,
                 "a dumb terminal: no escape codes", [term.output])
    with Terminal(m) as term:
        term.shows(" 50.0 ")
        m.put(KNOBS + "state", "x\x1bM")
        t.result(term.shows("state x?M"), "what could be a terminal's command")
        m.put(KNOBS + "state", "active")
        since = len(term.output)
        with CHANGING:
            m.unload()
        t.same("unloaded meanwhile: status", term.end(), 1)
        t.result(term.shows("not loaded", since), "unloaded meanwhile: said")
        left_alone(t, "unloaded meanwhile", term)


def main():
    t = Check()
    with Machine() as m:
        stop = threading.Event()
        thread = threading.Thread(target=grow, args=(m, stop))
        thread.start()
        try:
            for test in (test_draws, test_sizes, test_signals, test_ends):
                test(t, m)
        finally:
            stop.set()
            thread.join()
    return t.done()


sys.exit(main())
