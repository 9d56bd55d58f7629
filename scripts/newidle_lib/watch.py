# SPDX-License-Identifier: GPL-2.0-only
"""newidle watch: what each level of scheduling domains does, as it happens."""

import json
import signal
import sys
import time

from . import domains, machine
from .machine import KNOBS, OK
from .screen import Ended, Screen, is_usable, size

# Title, width, which figure, how it is written.
COLUMNS = (("level", 8, "level", "%s"),
           ("decisions/s", 12, "decisions_per_s", "%.1f"),
           ("attempts/s", 11, "attempts_per_s", "%.1f"),
           ("pulls/s", 9, "pulls_per_s", "%.1f"),
           ("skip%", 7, "skip_pct", "%.1f"),
           ("success%", 9, "success_pct", "%.1f"),
           ("cost/us", 9, "mean_cost_us", "%.2f"),
           ("%CPU", 7, "cpu_pct", "%.2f"),
           ("%all", 7, "all_cpus_pct", "%.2f"))
LEAST_COLUMNS, LEAST_LINES = 20, 5


class Watch:
    """Two tables, and what can be said of the time between them."""

    def __init__(self, options):
        self.options = options
        self.cpus = domains.online_cpus()
        self.table = domains.read_table()
        self.time = time.monotonic()
        self.result = None

    def look(self):
        table, now = domains.read_table(), time.monotonic()
        seconds = now - self.time
        levels, is_reset = domains.by_level(self.table, table, seconds,
                                            self.cpus)
        self.table, self.time = table, now
        self.result = {"time": time.time(), "seconds": seconds,
                       "reset": is_reset, "levels": levels}
        for name in ("state", "policy", "engine"):
            self.result[name] = machine.chosen(
                machine.read(KNOBS + "/" + name)) or None
        return self.result


def cell(form, value):
    return "-" if value is None else form % value


def row(cells, width):
    """Whole columns only: half a number would be another number."""
    line = ""
    for n, (text, column) in enumerate(zip(cells, COLUMNS)):
        more = text.ljust(column[1]) if n == 0 else \
            " " + text.rjust(column[1] - 1)
        if len(line) + len(more) > width:
            break
        line += more
    return line


def head(width):
    return row([title for title, _, _, _ in COLUMNS], width)


def level_line(figures, width):
    return row([cell(form, figures[key]) for _, _, key, form in COLUMNS], width)


def summary(result):
    return "state %s, policy %s, engine %s" % tuple(
        result[name] or "-" for name in ("state", "policy", "engine"))


def note(result):
    if result["reset"]:
        return "the counters were reset: no figures for this interval"
    if len(result["levels"]) == 1:
        return "no CPU has come to a decision yet"
    return ""


def view(result, every, width, height, how="q quits"):
    """The lines of a screen of this size; how it is ended."""
    if width < LEAST_COLUMNS or height < LEAST_LINES:
        return ["too small", how][:height]
    if not result:
        return ["newidle watch: looking for %g s; %s" % (every, how)]
    levels = [level_line(f, width) for f in result["levels"]]
    room = height - 4
    if len(levels) > room:
        # The last is all of them together.
        levels = levels[:room - 2] + levels[-1:] + \
            ["%d more lines" % (len(levels) - room + 1)]
        levels = levels[:room] if room > 1 else levels[-2:-1]
    return [time.strftime("%H:%M:%S") + "  " + summary(result), head(width),
            *levels, note(result), "every %g s; %s" % (every, how)]


def print_plain(result, count):
    if count == 1:
        print(head(80))
    for figures in result["levels"]:
        print(machine.printable(level_line(figures, 80)))
    if note(result):
        print(note(result))
    print(time.strftime("%H:%M:%S"), summary(result), flush=True)


def plain(watch, options):
    """Lines for a pipe or file; ends quietly when nobody reads them."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    count = 0
    while not options.count or count < options.count:
        time.sleep(options.interval)
        count += 1
        result = watch.look()
        if options.json:
            print(json.dumps(result), flush=True)
        else:
            print_plain(result, count)


def live(watch, options):
    count = 0
    with Screen() as screen:
        due = time.monotonic() + options.interval
        how = "q quits" if screen.keys is not None else "Ctrl-C ends it"
        while True:
            screen.draw([machine.printable(line) for line in view(
                watch.result, options.interval, *size(), how)])
            key = screen.wait(due)
            if key in ("q", "Q"):
                return
            if key is not None:
                continue
            watch.look()
            count += 1
            if count == options.count:
                screen.draw(view(watch.result, options.interval, *size()))
                return
            due = time.monotonic() + options.interval


def run(options):
    watch = Watch(options)
    on_screen = not options.json and is_usable()
    try:
        (live if on_screen else plain)(watch, options)
    except Ended as ended:
        return 128 + ended.number
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    if on_screen and watch.result:
        # The screen is gone; what it showed last stays.
        print_plain(watch.result, 1)
    sys.stdout.flush()
    return OK
