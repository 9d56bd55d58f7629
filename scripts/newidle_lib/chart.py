# SPDX-License-Identifier: GPL-2.0-only
"""A page that shows every run, medians and intervals: no script, no other file."""

import html
import json

from . import stats

WIDTH, LEFT, RIGHT = 900, 230, 30
ROW, TOP, AXIS = 46, 20, 40
TICKS = (1, 2, 2.5, 5, 10)

STYLE = """\
body { font: 15px/1.5 sans-serif; max-width: 960px; margin: 2em auto; color: #222; }
pre { background: #f4f4f4; padding: 1em; overflow-x: auto; }
svg text { font: 13px sans-serif; fill: #222; }
svg .run { fill: #2a6fbb; fill-opacity: 0.55; }
svg .median { stroke: #b3261e; stroke-width: 3; }
svg .interval { stroke: #b3261e; stroke-width: 1.5; }
svg .grid { stroke: #ddd; }
svg .base { stroke: #888; stroke-dasharray: 4 4; }
td { padding: 0 1em 0 0; vertical-align: top; }
"""


def step(span):
    """A round distance of ticks, of which some six fit."""
    power = 10.0 ** len(str(int(span))) if span >= 1 else 1.0
    while power > span / 6:
        power /= 10
    return next(power * t for t in TICKS if power * t >= span / 6)


def runs_of(result, arm):
    return [run["figure"] for run in result["runs"] if run["arm"] == arm and
            run["block"] is not None and run["figure"] is not None]


class Scale:
    def __init__(self, values):
        low, high = min(values), max(values)
        margin = (high - low) * 0.06 or abs(high) * 0.06 or 1
        self.low, self.high = low - margin, high + margin

    def __call__(self, value):
        share = (value - self.low) / (self.high - self.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def ticks(self):
        every = step(self.high - self.low)
        n = int(self.low / every)
        while n * every <= self.high:
            if n * every >= self.low:
                yield n * every
            n += 1


def line(kind, x1, y1, x2, y2):
    return '<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>' % (
        kind, x1, y1, x2, y2)


def text(x, y, words, anchor="start"):
    return '<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>' % (
        x, y, anchor, html.escape(words))


def row(scale, y, arm, figures, pair, base):
    """Points from left to right by value, up and down by time."""
    yield text(LEFT - 12, y + 4, arm, "end")
    for n, figure in enumerate(figures):
        dy = ((n + 0.5) / len(figures) - 0.5) * ROW * 0.6
        yield '<circle class="run" cx="%.1f" cy="%.1f" r="4"><title>%s: ' \
            '%.6g</title></circle>' % (scale(figure), y + dy,
                                       html.escape(arm), figure)
    middle = scale(stats.median(figures))
    yield line("median", middle, y - ROW * 0.36, middle, y + ROW * 0.36)
    if pair and pair["low_pct"] is not None:
        ends = [scale(base * (1 + pair[end] / 100))
                for end in ("low_pct", "high_pct")]
        yield line("interval", ends[0], y, ends[1], y)
        for x in ends:
            yield line("interval", x, y - 6, x, y + 6)


def drawing(result):
    """The SVG."""
    arms = [arm for arm in result["arms"] if runs_of(result, arm)]
    pairs = {pair["arm"]: pair for pair in result["results"]}
    base = stats.median(runs_of(result, arms[0]))
    values = [v for arm in arms for v in runs_of(result, arm)]
    values += [base * (1 + pair[end] / 100) for pair in pairs.values()
               for end in ("low_pct", "high_pct") if pair[end] is not None]
    scale, bottom = Scale(values), TOP + ROW * len(arms)
    parts = ['<svg viewBox="0 0 %d %d" role="img">' % (WIDTH, bottom + AXIS)]
    for tick in scale.ticks():
        parts.append(line("grid", scale(tick), TOP, scale(tick), bottom))
        parts.append(text(scale(tick), bottom + 16, "%.6g" % tick, "middle"))
    parts.append(line("base", scale(base), TOP, scale(base), bottom))
    parts.append(text(WIDTH - RIGHT, bottom + 34, "%s, %s is better" % (
        result["unit"] or result["workload"], result["better"]), "end"))
    for n, arm in enumerate(arms):
        parts += row(scale, TOP + ROW * (n + 0.5), arm, runs_of(result, arm),
                     pairs.get(arm), base)
    return "\n".join(parts + ["</svg>"])


def facts(result):
    for name, value in result["environment"].items():
        if value not in (None, [], ""):
            words = value if isinstance(value, str) else json.dumps(value)
            yield "<tr><td>%s</td><td>%s</td></tr>" % (html.escape(name),
                                                       html.escape(words))


def page(result, lines):
    """result: as bench has it; lines: the table for terminals."""
    title = "newidle bench: %s" % result["workload"]
    return "\n".join([
        "<!DOCTYPE html>", '<html lang="en">', '<meta charset="utf-8">',
        "<title>%s</title>" % html.escape(title), "<style>", STYLE + "</style>",
        "<h1>%s</h1>" % html.escape(title),
        "<p>%s%s</p>" % (html.escape(result["date"]), "" if result["whole"] else
                         ", ended before all was measured"),
        drawing(result),
        "<p>Points: runs, the first on top; red: median, and interval of the "
        "change against the first variant; dashed: its median.</p>",
        "<pre>%s</pre>" % html.escape("\n".join(lines)),
        "<table>", *facts(result), "</table>", "</html>", ""])
