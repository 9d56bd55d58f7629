# SPDX-License-Identifier: GPL-2.0-only
"""What newidle bench compares: knobs, and programs of the user's own."""

import os
import re
import signal
import subprocess
import time

from . import knobs, machine
from .machine import FAILED, WRONG_USE, Failure

USUAL = ("stock", "policy=value", "policy=random,retry=1")
# Time for a program to do what it does, and for knobs to take effect.
SETTLE = 1.0
PATIENCE = 10


class Variant:
    def __init__(self, name, values, command=None):
        self.name, self.values, self.command = name, values, command


def parse(words):
    """KNOB=VALUE,..., stock, or NAME:COMMAND with policy stock."""
    named = re.fullmatch(r"([\w.+-]+):(.+)", words)
    if named:
        return Variant(named.group(1), {"policy": "stock"}, named.group(2))
    if words == "stock":
        return Variant("stock", {"policy": "stock"})
    values = {}
    for pair in words.split(","):
        knob, equals, value = pair.partition("=")
        if not equals or not knob or not value:
            raise Failure(WRONG_USE, "'%s' is not stock, KNOB=VALUE[,...] or "
                          "NAME:COMMAND" % words)
        values[knob] = value
    return Variant(words, values)


def parse_all(words):
    found = [parse(one) for one in words or USUAL]
    if len({v.name for v in found}) != len(found):
        raise Failure(WRONG_USE, "a variant is given twice")
    return found


class Switch:
    """Brings variants into force, one after another."""

    def __init__(self, keeper):
        self.before = keeper.keep_knobs()
        self.keeper = keeper
        self.process = None
        keeper.later("a variant's command does not end", self.stop)

    def check(self, variants):
        """Before hours are spent: each can be set, and stands then."""
        for variant in variants:
            for knob in variant.values:
                if knob not in self.before:
                    raise Failure(WRONG_USE, "%s: there is no knob '%s'" %
                                  (variant.name, knob))
            self.set_knobs(variant)

    def set_knobs(self, variant):
        """What it does not name is as it was at the beginning."""
        wanted = dict(self.before, **variant.values)
        have = knobs.values()
        knobs.write_all([(name, value) for name, value in wanted.items()
                         if have.get(name) != value])
        have = knobs.values()
        for name, value in wanted.items():
            if have.get(name) != value:
                raise Failure(FAILED, "%s=%s does not stay" % (name, value))

    def to(self, variant):
        self.stop()
        self.set_knobs(variant)
        if variant.command:
            with self.keeper.calm():
                self.process = subprocess.Popen(
                    ["/bin/sh", "-c", variant.command], start_new_session=True,
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(SETTLE)
        self.look()

    def look(self):
        """A variant's program must run as long as it is measured."""
        if self.process and self.process.poll() is not None:
            status, self.process = self.process.returncode, None
            raise Failure(FAILED, "a variant's command ended by itself with "
                          "status %d" % status)
        if machine.read(machine.KNOBS + "/state") != "active":
            raise Failure(FAILED, "newidle does not decide any more: its state "
                          "is %s" % machine.read(machine.KNOBS + "/state"))

    def stop(self):
        if self.process:
            end_group(self.process, signal.SIGINT)
            self.process = None


def end_group(process, first=signal.SIGTERM):
    """A program with all that it started."""
    for number in (first, signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(PATIENCE)
            break
        except subprocess.TimeoutExpired:
            pass
    # Children that outlive it are of no use to anybody.
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
