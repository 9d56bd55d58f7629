# SPDX-License-Identifier: GPL-2.0-only
"""An instance of tracefs of our own: others' tracing is not touched."""

import os
import re

from . import machine
from .machine import FAILED, Failure

PLACES = ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")
PREFIX = "newidle-record-"
EVENTS = ("newidle/newidle_decide", "newidle/newidle_done")
SWITCH = "sched/sched_switch"


def place():
    for folder in PLACES:
        if machine.exists(folder + "/events"):
            break
    else:
        raise Failure(FAILED, "tracefs is not mounted: mount -t tracefs "
                      "tracefs /sys/kernel/tracing")
    if not machine.exists("%s/events/%s" % (folder, EVENTS[1])):
        raise Failure(FAILED, "newidle has no trace events on this kernel: "
                      "before 6.4 or so kernels give livepatches none")
    return folder


def write(name, text):
    fd = os.open(machine.path(name), os.O_WRONLY | os.O_TRUNC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def make(folder):
    os.mkdir(machine.path(folder))


def remove(folder):
    os.rmdir(machine.path(folder))


def is_running(pid):
    return machine.exists("/proc/%d" % pid)


def remove_left_over(top):
    """Of recorders that were killed with no chance to see to it."""
    for name in machine.names(top + "/instances"):
        match = re.fullmatch(PREFIX + r"(\d+)", name)
        if match and not is_running(int(match.group(1))):
            remove("%s/instances/%s" % (top, name))


class Instance:
    """Made with tracing off."""

    def __init__(self, keeper, buffer_kb):
        top = place()
        remove_left_over(top)
        self.folder = "%s/instances/%s%d" % (top, PREFIX, os.getpid())
        keeper.later("the tracing instance %s is left behind" % self.folder,
                     self.remove)
        make(self.folder)
        self.write("tracing_on", "0")
        self.write("buffer_size_kb", str(buffer_kb))
        for event in EVENTS:
            self.write("events/%s/enable" % event, "1")
        # Only switches from and to idle tasks.
        self.write("events/%s/filter" % SWITCH, "prev_pid == 0 || next_pid == 0")
        self.write("events/%s/enable" % SWITCH, "1")

    def write(self, name, text):
        write("%s/%s" % (self.folder, name), text)

    def switch(self, is_on):
        self.write("tracing_on", "1" if is_on else "0")

    def remove(self):
        if not machine.exists(self.folder):
            return
        try:
            self.switch(False)
        finally:
            remove(self.folder)
