# SPDX-License-Identifier: GPL-2.0-only
"""A full-screen view on a terminal that is left as it was found."""

import os
import select
import signal
import sys
import termios
import time
import tty

ENTER = "\x1b[?1049h\x1b[?25l"
LEAVE = "\x1b[?25h\x1b[?1049l"
HOME = "\x1b[H"
REST_OF_LINE = "\x1b[K"
REST_OF_SCREEN = "\x1b[J"

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Ended(Exception):
    """A signal asks to end."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def is_usable():
    return sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def size():
    """Columns and lines, as the terminal itself has them."""
    try:
        found = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        return 80, 24
    return found.columns or 80, found.lines or 24


class Screen:
    """with Screen() as screen: draw lines, wait for keys."""

    def __init__(self):
        self.keys = sys.stdin.fileno() if sys.stdin and sys.stdin.isatty() \
            else None
        self.saved = None
        self.old_handlers = {}
        self.wake = ()
        self.ended = None

    def __enter__(self):
        # A signal ends a wait through this pipe, however the two race.
        self.wake = os.pipe()
        for fd in self.wake:
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(self.wake[1], warn_on_full_buffer=False)
        for number in ENDING:
            self.handle(number, self.end)
        self.handle(signal.SIGTSTP, self.stop)
        self.handle(signal.SIGWINCH, lambda *_: None)
        try:
            self.take()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # Nothing may come between from here on.
        for number in self.old_handlers:
            signal.signal(number, signal.SIG_IGN)
        try:
            self.give_back()
        finally:
            signal.set_wakeup_fd(-1)
            for number, handler in self.old_handlers.items():
                signal.signal(number, handler)
            for fd in self.wake:
                os.close(fd)

    def handle(self, number, handler):
        self.old_handlers[number] = signal.signal(number, handler)

    def end(self, number, _frame):
        # Raised where we wait: never while the terminal is being given back.
        self.ended = number

    def stop(self, *_):
        self.give_back()
        os.kill(os.getpid(), signal.SIGSTOP)
        self.take()

    def take(self):
        if self.keys is not None:
            self.saved = termios.tcgetattr(self.keys)
            tty.setcbreak(self.keys)
        self.write(ENTER)

    def give_back(self):
        try:
            self.write(LEAVE)
        except OSError:
            # The terminal is gone, but may come back with its settings.
            pass
        if self.saved is not None:
            try:
                termios.tcsetattr(self.keys, termios.TCSANOW, self.saved)
            except termios.error:
                pass
            self.saved = None

    @staticmethod
    def write(text):
        data = text.encode(sys.stdout.encoding, "replace")
        while data:
            data = data[os.write(sys.stdout.fileno(), data):]

    def draw(self, lines):
        """No line is wrapped, and the last one does not scroll."""
        columns, rows = size()
        self.write(HOME + "\r\n".join(line[:columns] + REST_OF_LINE
                                      for line in lines[:rows]) +
                   REST_OF_SCREEN)

    def wait(self, until):
        """The key pressed, "" after a signal, None when time is up."""
        watched = [fd for fd in (self.keys, self.wake[0]) if fd is not None]
        left = until - time.monotonic()
        ready = select.select(watched, [], [], left)[0] if left > 0 else []
        if self.ended:
            raise Ended(self.ended)
        if self.wake[0] in ready:
            os.read(self.wake[0], 64)
            return ""
        if self.keys is not None and self.keys in ready:
            key = os.read(self.keys, 1)
            if not key:
                # Hung up.
                raise Ended(signal.SIGHUP)
            return key.decode("latin-1")
        return None
