#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The manual pages and docs/ABI tell of everything there is, as it is."""

import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "..", "style"))
from source import choices, defaults, ranges, sources
from tap import ROOT, Tap, read, run

PAGES = ["man/" + name for name in sorted(os.listdir(ROOT + "/man"))]
ABI = "docs/ABI/sysfs-kernel-newidle"
SYSFS = "/sys/kernel/newidle/"
FIELDS = ["What", "Date", "KernelVersion", "Contact", "Description"]


def top(page):
    """The outer items alone of the knobs' list in newidle.4."""
    depth, lines = 0, []
    for line in page.split(".Ss Knobs", 1)[-1].split("\n"):
        depth += line.startswith(".Bl ") - line.startswith(".El")
        if depth == 1:
            lines.append(line)
        if depth == 0 and line.startswith(".El"):
            break
    return "\n".join(lines)


def items(page):
    """{word: its text} of the knobs' list in newidle.4."""
    depth, found, name = 0, {}, None
    for line in page.split(".Ss Knobs", 1)[-1].split("\n"):
        depth += line.startswith(".Bl ") - line.startswith(".El")
        if depth == 1 and line.startswith(".It Cm "):
            name = line.split()[2]
            found[name] = ""
        elif name:
            found[name] += line + "\n"
        if depth == 0 and line.startswith(".El"):
            break
    return found


def knobs_in(page, text):
    """What the page lacks of the knobs, or has besides."""
    told, found = items(page), []
    for name, default in defaults(text).items():
        if name not in told:
            found.append("no knob " + name)
            continue
        words = told.pop(name)
        if name in ranges(text):
            wanted = "%d ... %d, default %s" % (*ranges(text)[name], default)
            if not words.startswith(wanted):
                found.append("%s: does not begin with '%s'" % (name, wanted))
        for choice in choices(text).get(name, ()):
            if not re.search(r"^\.It Cm %s$" % choice, words, re.M):
                found.append("%s: no choice %s" % (name, choice))
        if name in choices(text):
            told_default = re.search(
                r"^\.It Cm (\w+)\n(?:[^.].*\n|\.[^I].*\n)*?.*\bdefault\.$",
                words, re.M)
            if not told_default or told_default[1] != default:
                found.append("%s: the default is not told as %s" % (name, default))
    twice = re.findall(r"^\.It Cm (\w+)$(?=(?:.*\n)*\.It Cm \1$)", top(page), re.M)
    return found + ["a knob that is not there: " + name for name in told] + \
        ["%s: told twice" % name for name in twice]


def columns_in(page, text):
    """What the page lacks of the columns of debugfs, or has besides."""
    header = re.search(r"#define DOMAINS_HEADER((?:.*\\\n)+.*)", text)
    have = "".join(re.findall(r'"(.*?)"', header[1])).replace("\\n", "").split()[1:]
    listed = page.split(".It Pa domains\n")[1].split("\n.El")[0]
    told = " ".join(re.findall(r"^\.It Cm (.*)$", listed, re.M)).split()
    return ["no column " + name for name in have if name not in told] + \
        ["a column that is not there: " + name for name in told if name not in have]


def attributes(text):
    """All files below /sys/kernel/newidle: {name: mode}."""
    found = {name: "RW" for name in
             re.findall(r"^(?:CHOICE|NUMBER)_KNOB\((\w+)", text, re.M)}
    for kind, name in re.findall(r"= __ATTR_(RO|WO)\((\w+)\);", text):
        found[name] = kind
    for name in re.findall(r"^COUNTER\((\w+)", text, re.M):
        found["stats/" + name] = "RO"
    return found


def entries(abi):
    """The paragraphs, each as a list of (field, text)."""
    return [re.findall(r"^(\w+):[ \t]*(.*(?:\n\t\t.*)*)$", block, re.M)
            for block in abi.strip().split("\n\n")]


def abi_lacks(abi, text):
    found, told = [], {}
    for entry in entries(abi):
        fields = dict(entry)
        if [f for f, _ in entry] != FIELDS or not all(fields.values()):
            found.append("fields: %s" % [f for f, words in entry if words])
        told[fields.get("What", "")] = fields.get("Description", "")
    told.pop(SYSFS, None)
    known = ranges(text)
    for name, mode in attributes(text).items():
        words = told.pop(SYSFS + name, None)
        if words is None:
            found.append("no " + name)
            continue
        if not words.strip().startswith("(%s) " % mode):
            found.append("%s: not told as %s" % (name, mode))
        if name in known and "%d ... %d" % known[name] not in words:
            found.append("%s: not the range %s" % (name, known[name]))
    return found + ["not there: " + what for what in told]


def subcommands():
    return re.findall(r"^    (\w+)(?: +\S|$)", run(
        ROOT + "/scripts/newidle", "--help")[1].split("COMMAND\n")[1].split(
            "\n\n")[0], re.M)


def command_lacks(page):
    """Subcommands, and their options, that the page does not tell of."""
    found = []
    for name in subcommands():
        item = re.search(r"^\.It Cm %s\b(.*)$" % name, page, re.M)
        if not item:
            found.append("no subcommand " + name)
            continue
        usage = run(ROOT + "/scripts/newidle", name, "--help")[1].split("\n\n")[0]
        for option in set(re.findall(r"\[-(-?\w[\w-]*)", usage)) - {"h"}:
            if not re.search(r"\bFl %s\b" % re.escape(option), item[1]):
                found.append("%s: no option -%s" % (name, option))
    return found


def lint(path):
    """What the formatters complain of."""
    found = []
    if shutil.which("mandoc"):
        found += run("mandoc", "-T", "lint", "-W", "warning", path)[1].splitlines()
    if shutil.which("groff"):
        found += run("groff", "-mandoc", "-ww", "-z", "-Tutf8", "-Kutf8",
                     path)[1].splitlines()
    return found


def check_lint(tap):
    if not shutil.which("mandoc") and not shutil.which("groff"):
        print("# no mandoc here: the pages' form is for tests/run packages")
        return
    for page in PAGES:
        tap.clean(lint(ROOT + "/" + page), page + ": well formed")
    with tempfile.NamedTemporaryFile("w", suffix=".4") as bad:
        bad.write(read("man/newidle.4").replace(".El\n", "", 1))
        bad.flush()
        tap.result(lint(bad.name), "notices a list without an end")


def main():
    tap = Tap()
    text, page = sources(), read("man/newidle.4")
    tap.result(len(defaults(text)) > 8, "found the knobs", defaults(text))
    tap.clean(knobs_in(page, text), "newidle(4) tells of every knob")
    for what, old, new in (
            ("a missing knob", ".It Cm retry_idle_pct\n", ""),
            ("another knob", ".It Cm cost_bump", ".It Cm cost_bumb"),
            ("a knob told twice", ".It Cm cost_bump\n", ".It Cm retry\n0\n.It Cm cost_bump\n"),
            ("another range", "16 ... 34", "16 ... 32"),
            ("another default", "default 22", "default 24"),
            ("another default choice", "here, the default.", "here."),
            ("a missing choice", ".It Cm value\n", "")):
        tap.result(old in page and knobs_in(page.replace(old, new, 1), text),
                   "newidle(4): notices " + what)

    tap.clean(columns_in(page, text), "newidle(4) tells of every column of debugfs")
    tap.result(columns_in(page.replace("Cm max_ns mean_ns", "Cm max_ns"), text),
               "newidle(4): notices a missing column")
    tap.result(columns_in(page.replace("Cm over_limit", "Cm over_limits"), text),
               "newidle(4): notices another column")

    abi = read(ABI)
    tap.result(len(attributes(text)) > 18, "found the files in sysfs",
               attributes(text))
    tap.clean(abi_lacks(abi, text), "docs/ABI tells of every file")
    for what, old, new in (
            ("a missing file", "stats/skips", "stats/slips"),
            ("a missing field", "\nContact:\tThe newidle developers", ""),
            ("an empty field", "\tDecember 2026", ""),
            ("another mode", "(WO)", "(RW)"),
            ("another range", "64 ... 65536", "64 ... 65535")):
        tap.result(old in abi and abi_lacks(abi.replace(old, new, 1), text),
                   "docs/ABI: notices " + what)

    page = read("man/newidle.8")
    tap.result(len(subcommands()) == 11, "found the subcommands", subcommands())
    tap.clean(command_lacks(page), "newidle(8) tells of every subcommand")
    for what, old, new in (
            ("a missing subcommand", ".It Cm reset\n", ""),
            ("a missing option", ".It Cm check Oo Fl -json Oc", ".It Cm check")):
        tap.result(old in page and command_lacks(page.replace(old, new, 1)),
                   "newidle(8): notices " + what)
    check_lint(tap)
    return tap.done()


sys.exit(main())
