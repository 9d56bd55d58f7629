# SPDX-License-Identifier: GPL-2.0-only
"""newidle record: write every new-idle event to a file, all domains tried."""

import json
import signal
import subprocess
import sys
import time

from . import environment, keeping, machine, tools
from .keeping import Interrupted, Keeper
from .machine import FAILED, KNOBS, OK, Failure
from .tracing import Instance

# With these every event shows what an attempt comes to.
ALL = {"policy": "always", "retry": "0", "max_level": "all"}
PROGRAM = "newidle-collect"
LOOK = 0.1
# More than this share of idling without an attempt before: told.
UNASKED = 0.5


def plain(text, longest=400):
    """One line of printable ASCII."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)[:longest]


def head(command):
    facts = {
        "kernel": environment.kernel(), "cpu": environment.cpu_model(),
        "topology": environment.topology_words(),
        "native": machine.chosen(machine.read(KNOBS + "/native")),
        "engine": machine.chosen(machine.read(KNOBS + "/engine")),
        "newidle": machine.read(KNOBS + "/version"),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "command": " ".join(command) if command else None,
    }
    return "".join("%s %s\n" % (key, plain(value))
                   for key, value in facts.items() if value)


class Collector:
    """The program that empties the ring buffer, until it is told to stop."""

    def __init__(self, keeper, instance, path, command):
        self.process = None
        keeper.later("the collector does not end", self.kill)
        words = [tools.find(PROGRAM), machine.path(instance.folder), path,
                 head(command)]
        with keeper.calm():
            # The terminal's signals are ours to see to.
            self.process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                start_new_session=True)
        if not self.process.stdout.readline():
            self.failed()

    def failed(self):
        # It has said why.
        raise Failure(FAILED, "nothing is recorded")

    def look(self):
        if self.process.poll() is not None:
            self.failed()

    def finish(self):
        """What it says of the recording."""
        self.process.stdin.close()
        said = self.process.stdout.read()
        if self.process.wait() or not said:
            raise Failure(FAILED, "the recording is not whole")
        return json.loads(said)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Command:
    """What runs meanwhile; the user's terminal is its too."""

    def __init__(self, keeper, words, stdout):
        self.process = None
        keeper.later("the command does not end", self.end)
        try:
            with keeper.calm():
                self.process = subprocess.Popen(words, stdout=stdout)
        except OSError as error:
            raise Failure(FAILED, "%s: %s" % (words[0], error.strerror)) from \
                error

    def end(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not self.process or self.process.poll() is not None:
                return
            self.process.send_signal(number)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                pass


def wait(collector, command, seconds):
    """Until the command ends, time is up, or the user wants it to end."""
    until = time.monotonic() + seconds if seconds else None
    try:
        while not command or command.process.poll() is None:
            collector.look()
            if until and time.monotonic() >= until:
                return
            time.sleep(LOOK)
    except Interrupted as ended:
        if ended.number != signal.SIGINT:
            raise


def tell(path, said):
    lost = "it is not known how many were lost" if said["lost"] is None else \
        "%d lost" % said["lost"]
    print("%s: %d attempts in %.1f s; %s" %
          (path, said["events"], said["seconds"], lost))
    if said["lost"]:
        machine.say("a larger --buffer loses fewer")
    if said["idled"]:
        share = said["unasked"] / said["idled"]
        print("CPUs went idle %d times, %.1f %% of them without an attempt" %
              (said["idled"], 100 * share))
        if share > UNASKED:
            machine.say("most of the time no policy was asked: the kernel finds "
                        "no CPU overloaded, or takes an attempt to cost more "
                        "than the CPU idles (kernel_max_ns in debugfs)")


def keep_recording(options, stdout=None):
    """stdout: the command's, as for Popen."""
    keeping.need_active()
    tools.find(PROGRAM)
    with Keeper() as keeper:
        keeper.keep_knobs()
        instance = Instance(keeper, options.buffer)
        collector = Collector(keeper, instance, options.output, options.command)
        keeping.set_all(ALL)
        instance.switch(True)
        command = Command(keeper, options.command, stdout) if options.command \
            else None
        wait(collector, command, options.seconds)
        instance.switch(False)
        said = collector.finish()
    return said, command.process.returncode if command else 0


def record(options):
    try:
        said, status = keep_recording(options)
    except Interrupted as ended:
        return 128 + ended.number
    tell(options.output, said)
    sys.stdout.flush()
    if status:
        raise Failure(FAILED, "the command ended with status %d" % status)
    return OK
