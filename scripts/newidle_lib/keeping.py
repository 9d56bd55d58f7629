# SPDX-License-Identifier: GPL-2.0-only
"""Put the machine back as it was, however a command ends."""

import contextlib
import signal

from . import knobs, machine
from .machine import FAILED, Failure

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Interrupted(Exception):
    """A signal asks to end."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


class Keeper:
    """with Keeper() as keeper: what is undone is said before it is done."""

    def __init__(self):
        self.undo = []
        self.handlers = {}
        self.is_calm = False
        self.waiting = None

    def __enter__(self):
        for number in ENDING:
            # What was ignored stays so, as under nohup.
            if signal.getsignal(number) != signal.SIG_IGN:
                self.handlers[number] = signal.signal(number, self.end)
        return self

    def end(self, number, frame):
        if self.is_calm:
            self.waiting = number
        # At the very beginning of leaving it would end that.
        elif frame.f_code is not self.__exit__.__code__:
            raise Interrupted(number)

    @contextlib.contextmanager
    def calm(self):
        """What must not be left half done: signals wait for its end."""
        self.is_calm = True
        try:
            yield
        finally:
            self.is_calm = False
        if self.waiting:
            raise Interrupted(self.waiting)

    def later(self, what, function, *arguments):
        """Before the block is left, last first, whatever else fails."""
        self.undo.append((what, function, arguments))

    def __exit__(self, kind, *_):
        for number in self.handlers:
            signal.signal(number, signal.SIG_IGN)
        failed = []
        for what, function, arguments in reversed(self.undo):
            try:
                function(*arguments)
            except (OSError, Failure) as error:
                failed.append("%s: %s" % (what, error))
        for number, handler in self.handlers.items():
            signal.signal(number, handler)
        for text in failed:
            machine.say(text)
        if failed and kind is None:
            raise Failure(FAILED, "not all is as it was before")

    def keep_knobs(self):
        """The knobs as they are now, to which they return."""
        old = knobs.values()
        self.later("the knobs are not as before", put_back, old)
        return old


def put_back(old):
    now = knobs.values()
    failed = []
    for name, value in old.items():
        if now.get(name) == value or value is None:
            continue
        try:
            knobs.write(name, value)
        except OSError as error:
            failed.append("%s=%s (%s)" % (name, value, knobs.meaning(error)))
    if failed:
        raise Failure(FAILED, " ".join(failed))


def set_all(values):
    """Knobs that this module has; raises Failure with the kernel's reason."""
    known = knobs.writable()
    pairs = [(name, value) for name, value in values.items() if name in known]
    knobs.write_all(pairs)


def need_active():
    machine.need_loaded()
    machine.need_root()
    state = machine.read(machine.KNOBS + "/state")
    if state != "active":
        meaning, advice = machine.ADVICE.get(state, ("", ""))
        raise Failure(FAILED, "newidle does not decide now, its state is %s: "
                      "%s; %s" % (state, meaning, advice))
