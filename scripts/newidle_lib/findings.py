# SPDX-License-Identifier: GPL-2.0-only
"""What newidle check finds: verdicts, and how they are shown."""

import os
import sys
from typing import NamedTuple

GOOD, OBSTACLE, WARNING, NOTE, UNKNOWN = \
    "ok", "obstacle", "warning", "note", "unknown"

MARKS = {GOOD: "\N{CHECK MARK}", OBSTACLE: "\N{BALLOT X}", WARNING: "!",
         NOTE: "\N{MIDDLE DOT}", UNKNOWN: "-"}
PLAIN_MARKS = {GOOD: "ok", OBSTACLE: "NO", WARNING: "!", NOTE: ".",
               UNKNOWN: "-"}


class Finding(NamedTuple):
    """One condition.  Only an obstacle hinders loading."""
    name: str
    verdict: str
    text: str
    cure: str = ""


def good(name, text):
    return Finding(name, GOOD, text)


def obstacle(name, text, cure=""):
    return Finding(name, OBSTACLE, text, cure)


def warning(name, text, cure=""):
    return Finding(name, WARNING, text, cure)


def note(name, text, cure=""):
    return Finding(name, NOTE, text, cure)


def unknown(name, text, cure=""):
    return Finding(name, UNKNOWN, text, cure)


def can_show_marks():
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    # Python takes the C locale for UTF-8; a console set to it may not.
    return encoding == "utf8" and \
        os.environ.get("LC_ALL") not in ("C", "POSIX")


def line(finding):
    marks = MARKS if can_show_marks() else PLAIN_MARKS
    text = "%-2s %s: %s" % (marks[finding.verdict], finding.name, finding.text)
    text += ".  Cure: " + finding.cure if finding.cure else ""
    return " ".join(text.split("\n"))
