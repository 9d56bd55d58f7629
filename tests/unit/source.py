# SPDX-License-Identifier: GPL-2.0-only
"""What the module's source says of its knobs, for the tests of documents."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "..", "style"))
from tap import ROOT, read


def sources():
    names = sorted(os.listdir(ROOT + "/module"))
    return "\n".join(read("module/" + n) for n in names if n[-2:] in (".c", ".h"))


def constants(text):
    return {name: int(value) for name, value in
            re.findall(r"#define (NEWIDLE_\w+)\s+(\d+)U?$", text, re.M)}


def number(word, known):
    return int(word) if word.isdigit() else known[word]


def choices(text):
    """Names that a knob takes: {knob: [names]}."""
    rows = re.findall(r'row\([A-Z]+, +"(\w+)"', text)
    levels = re.search(r"newidle_level_names\[NEWIDLE_\w+\] = \{(.*?)\}", text, re.S)
    engines = re.search(r"newidle_engine_choices\[NEWIDLE_\w+\] = \{(.*?)\}", text, re.S)
    return {"policy": rows,
            "max_level": re.findall('"(.*?)"', levels[1]),
            "engine": re.findall('"(.*?)"', engines[1])}


def ranges(text):
    """{knob: (smallest, largest)}"""
    known = constants(text)
    return {name: (number(low, known), number(high, known)) for name, low, high
            in re.findall(r"^NUMBER_KNOB\((\w+), (\w+), (\w+)", text, re.M)}


def defaults(text):
    """As the module's parameters tell them: {knob: word}."""
    told = re.findall(r"MODULE_PARM_DESC\((\w+), (.*)\);", text)
    found = {}
    for name, words in told:
        default = re.search(r"default (\w+)|(\w+) \(default\)", words)
        if not name.startswith("test_"):
            found[name] = default and (default[1] or default[2]) or "0"
    return found
