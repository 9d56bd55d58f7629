# SPDX-License-Identifier: GPL-2.0-only
"""What newidle bench runs, and how a figure is read from what it says."""

import os
import re

from . import environment, machine, tools
from .machine import FAILED, WRONG_USE, Failure


class Workload:
    """words: the command; pattern: its first group is the figure, None: the
    time that it took, s; a_second: the figure is to be divided by that."""

    def __init__(self, name, words, pattern, better, unit, a_second=False):
        self.name, self.words, self.a_second = name, words, a_second
        self.pattern = re.compile(pattern, re.M) if pattern else None
        self.better, self.unit = better, unit

    def figure(self, said, seconds):
        """None if there is none, or none that can be compared."""
        if not self.pattern:
            return seconds
        # The last one: some tell how far they are.
        found = self.pattern.findall(said)
        if not found:
            return None
        text = found[-1] if isinstance(found[-1], str) else found[-1][0]
        try:
            value = float(text.replace(",", ""))
        except ValueError:
            return None
        if self.a_second:
            value /= seconds
        return value if 0 < value < float("inf") else None


def program(name, package):
    found = machine.find_tool(name)
    if not found:
        raise Failure(FAILED, "%s is not installed%s" % (
            name, ": apt-get install " + package if package else
            "; newidle does not bring it"))
    return found


def stress_ng_sock(cpus, seconds, _folder):
    return Workload("stress-ng-sock", [
        program("stress-ng", "stress-ng"), "--sock", str(max(1, cpus // 2)),
        "--timeout", "%ds" % seconds, "--metrics-brief"],
        r"\bsock +\d+ +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)", "higher",
        "bogo ops/s")


def hackbench(cpus, _seconds, _folder):
    # Its length is what it has to do.
    return Workload("hackbench", [
        program("hackbench", "rt-tests"), "-g", str(max(1, cpus // 4)),
        "-l", "5000"], r"^Time: ([\d.]+)", "lower", "s")


def fio(_cpus, seconds, folder):
    """The job of the report on linux-kernel of February 2026."""
    return Workload("fio", [
        program("fio", "fio"), "--name=newidle", "--directory=" + folder,
        "--ioengine=psync", "--rw=randwrite", "--bs=4k", "--fsync=64",
        "--numjobs=4", "--size=64M", "--runtime=%d" % seconds, "--time_based",
        "--group_reporting", "--output-format=terse", "--terse-version=3"],
        # Field 48 of version 3: KB/s written.
        r"^3;(?:[^;\n]*;){46}([\d.]+);", "higher", "KB/s")


def schbench(cpus, seconds, _folder):
    return Workload("schbench", [
        program("schbench", None), "-m", "2", "-t", str(max(1, cpus // 2)),
        # What it tells meanwhile is of the last interval: "current rps".
        "-r", str(seconds)], r"^average rps: ([\d.]+)$", "higher", "requests/s")


def sembench(cpus, seconds, _folder):
    """Futexes.  Its own figure is of whole seconds, which it may be off by 1."""
    return Workload("sembench", [
        program("sembench", None), "-t", str(40 * cpus), "-w", str(5 * cpus),
        "-r", str(seconds), "-o", "2"],
        r"^worker burn count total (\d+) ", "higher", "completions/s",
        a_second=True)


def barrier(_cpus, seconds, _folder):
    return Workload("barrier", [
        tools.find("newidle-barrier"), "-d", str(seconds)],
        r"^steps/s: ([\d.]+)", "higher", "steps/s")


def waker(_cpus, seconds, _folder):
    return Workload("waker", [
        tools.find("newidle-waker"), "-d", str(seconds)],
        r"^completions/s: ([\d.]+)", "higher", "completions/s")


BUILT_IN = {"barrier": barrier, "fio": fio, "hackbench": hackbench,
            "schbench": schbench, "sembench": sembench,
            "stress-ng-sock": stress_ng_sock, "waker": waker}


def own(options):
    """--cmd, by a shell, with its figure and which way is better."""
    if options.metric and not options.better:
        raise Failure(WRONG_USE, "--metric needs --better higher or lower")
    if options.metric:
        try:
            pattern = re.compile(options.metric, re.M)
        except re.error as error:
            raise Failure(WRONG_USE, "--metric: %s" % error) from error
        if pattern.groups < 1:
            raise Failure(WRONG_USE, "--metric has no group (...) that holds "
                          "the figure")
    return Workload("cmd", ["/bin/sh", "-c", options.cmd], options.metric,
                    options.better or "lower",
                    options.unit or ("" if options.metric else "s"))


def choose(options, folder):
    if bool(options.workload) == bool(options.cmd):
        raise Failure(WRONG_USE, "a workload (%s) or --cmd CMD" %
                      ", ".join(sorted(BUILT_IN)))
    if options.cmd:
        return own(options)
    cpus = environment.topology()["CPUs"] or os.cpu_count() or 1
    return BUILT_IN[options.workload](cpus, options.seconds, folder)
