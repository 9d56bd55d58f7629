#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What README and the other documents name is there: links, commands with their
options, targets of make, knobs with their values and defaults."""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "..", "style"))
from source import choices, defaults, ranges, sources
from tap import ROOT, Tap, read, run, tree_files

SOURCES = sources()
# Which are not ours, as examples use them.
FOREIGN = set("""apt-get bpftrace cat dmesg dpkg-buildpackage echo grep mokutil perf reboot
    rmmod systemctl trace-cmd uname git""".split())
SUBCOMMANDS = set(re.findall(
    r"^    ([a-z]+)(?:\s|$)", run(ROOT + "/scripts/newidle", "--help")[1], re.M))
HELP = {name: run(ROOT + "/scripts/newidle", name, "--help")[1]
        for name in SUBCOMMANDS - {"replay"}}
# Which may not be built here.
HELP["replay"] = read("scripts/replay/replay.c") + read("scripts/newidle_lib/building.py")
RUNS = set(re.findall(r"[a-z][\w-]+", re.search(
    r"^\ttest \|(.*)\) ;;$", read("tests/run"), re.M)[1])) | {"test"}
KERNELS = {line.split()[0] for line in read("tests/bed/kernels.list").split("\n")
           if line and line[0] != "#"}
TARGETS = set(re.findall(r"^([a-z][a-z -]*):", read("Makefile"), re.M))
TARGETS = {target for line in TARGETS for target in line.split()}


def slug(heading):
    """The anchor that a heading gets."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def links_lack(path, text):
    """Links to files and headings that are not there."""
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.isfile(os.path.join(ROOT, file)):
            found.append("no " + target)
        elif anchor:
            there = text if file == path else read(file)
            if anchor not in map(slug, re.findall(r"^#+ (.*)$", there, re.M)):
                found.append("no heading " + target)
    return found


def knob_lacks(word):
    """Is KNOB=VALUE one that would be accepted?"""
    name, _, value = word.partition("=")
    if name not in defaults(SOURCES):
        return ["no knob " + name]
    if name in choices(SOURCES) and value not in choices(SOURCES)[name]:
        return ["no value " + word]
    if name in ranges(SOURCES):
        low, high = ranges(SOURCES)[name]
        if not value.isdigit() or not low <= int(value) <= high:
            return ["out of range: " + word]
    return []


def newidle_lacks(words):
    if words[:1] == ["--version"]:
        return []
    if words[:1] == ["COMMAND"]:
        return []
    if not words or words[0] not in SUBCOMMANDS:
        return ["no subcommand " + " ".join(words[:1])]
    own = words[1:words.index("--")] if "--" in words else words[1:]
    found = []
    for word in own:
        if word in ("-h", "--help"):
            continue
        option = re.match(r"--?[a-z][\w-]*", word)
        if option and not re.search(
                r"(?<![\w-])%s(?![\w-])" % re.escape(option[0]), HELP[words[0]]):
            found.append("newidle %s: no option %s" % (words[0], word))
        if re.match(r"[a-z_]+=", word):
            for knob in word.split(","):
                found += knob_lacks(knob)
    return found


def tests_lack(words):
    if not words or words[0] not in RUNS:
        return ["no tests/run " + " ".join(words[:1])]
    return []


def command_lacks(line):
    """What is wrong with one simple command."""
    words = re.sub(r"'[^']*'", "QUOTED", line).split()
    while words and re.match(r"[A-Z][A-Z_]*=", words[0]):
        words = words[1:]
    if not words:
        return []
    name, words = words[0], words[1:]
    if re.search(r"[A-Z]", name) or name in FOREIGN:
        return []
    if name in ("newidle", "scripts/newidle"):
        return newidle_lacks([w for w in words if w != "..."])
    if name == "make":
        return ["no make " + w for w in words
                if re.match(r"[a-z]", w) and w not in TARGETS]
    if name == "modprobe":
        return [] if words[:1] == ["newidle"] and not \
            [f for w in words[1:] for f in knob_lacks(w)] or \
            words in (["-r"], ["-r", "newidle"]) else ["modprobe " + " ".join(words)]
    if name == "tests/run":
        return tests_lack(words)
    if name in ("newidle-load", "newidle-unload"):
        return [f for w in words if "=" in w for f in knob_lacks(w)]
    return ["what is %s?" % name]


def commands(text):
    """Simple commands: indented blocks without a prompt's session, and those of ours
    in the text."""
    lines = []
    for block in re.findall(r"(?:^    .*\n)+", text, re.M):
        if not re.match(r"    [$#] ", block):
            lines += block.split("\n")
    blocks = [re.sub(r"\s#( .*)?$", "", line.strip()) for line in lines if line.strip()]
    inline = [" ".join(code.split()) for code in re.findall(
        r"`((?:make|newidle|tests/run|modprobe) [^`]+)`", text)]
    return [part.strip() for line in blocks + inline
            for part in re.split(r"&&|\|(?![^{]*\})", re.sub(r"'[^']*'", "QUOTED", line))
            if part.strip()]


def commands_lack(text):
    return [f for line in commands(text) for f in command_lacks(line)]


def sessions_lack(text):
    """Commands after a prompt, in a session with what was printed: good ones, but for
    those that were refused."""
    found = []
    for line, then in re.findall(r"^    # (.*)\n(?=(.*))", text, re.M):
        wrong = command_lacks(line)
        if " is refused: " in then:
            wrong = [] if wrong else ["why was it refused? " + line]
        found += wrong
    return found


def knobs_lack(text):
    """README's table of knobs: all of them, with ranges and defaults."""
    rows = re.findall(r"^\| (`.*) \| (.*) \| .* \|$",
                      text.split("| knob |")[-1].split("\n\n")[0], re.M)
    told = {}
    for names, values in rows:
        for name, words in zip(re.findall(r"`(\w+)`", names), values.split("; ")):
            told[name] = words
    found = []
    for name, default in defaults(SOURCES).items():
        words = told.pop(name, None)
        if words is None:
            found.append("no knob " + name)
        elif name in choices(SOURCES):
            if re.findall(r"`(\w+)`", words) != choices(SOURCES)[name]:
                found.append("%s: other choices: %s" % (name, words))
            if "`%s` (default)" % default not in words:
                found.append("%s: the default is %s" % (name, default))
        else:
            low, high = ranges(SOURCES).get(name, (0, 1))
            wanted = "%d%s%d (%s)" % (low, ", " if high == 1 else " … ", high, default)
            if wanted not in words:
                found.append("%s: not '%s'" % (name, wanted))
    return found + ["no such knob: " + name for name in told]


def policies_lack(text):
    rows = re.findall(r"^\| `(\w+)` \|", text.split("| policy | a domain")[-1]
                      .split("\n\n")[0], re.M)
    return [] if rows == choices(SOURCES)["policy"] else rows


def main():
    tap = Tap()
    tap.result(len(SUBCOMMANDS) == 11 and "test-matrix" in TARGETS and
               "kernel-table" in RUNS, "found what there is",
               [SUBCOMMANDS, TARGETS, RUNS])
    documents = [p for p in tree_files() if p.endswith(".md")]
    for path in documents:
        tap.clean(links_lack(path, read(path)), path + ": links")
    for bad in ("[a](nowhere.md)", "[a](#nowhere)", "[a](docs/design.md#nowhere)"):
        tap.result(links_lack("README.md", bad), "notices " + bad)

    text = read("README.md")
    tap.result(len(commands(text)) > 40, "README has commands", commands(text))
    tap.clean(commands_lack(text), "README: commands, options and knobs are there")
    tap.clean(sessions_lack(text), "README: so are those of its session")
    tap.result(sessions_lack("    # newidle set rate=1\n    newidle: rate=1 is refused: x\n"),
               "notices a refusal of what is right")
    for bad in ("newidle watched", "newidle watch -z 3", "newidle set policy=best",
                "newidle load rate_shift=99", "newidle set polcy=value",
                "make instal", "tests/run matrx", "modprobe newidle rate=2",
                "newidle bench -v policy=value,max_level=l3", "frobnicate"):
        tap.result(commands_lack("\n    %s\n\n" % bad), "notices " + bad)
        tap.result(sessions_lack("\n    # %s\n" % bad), "notices it in a session")

    tap.clean(knobs_lack(text), "README: the knobs, their values and defaults")
    for old, new in (("34 (22)", "34 (24)"), ("64 …", "32 …"), ("`cost_bump` | 0", "`cost_bumb` | 0"),
                     ("`all` (default)", "`all`"), ("`smt`, ", ""), ("0, 1 (1)", "0, 1 (0)")):
        tap.result(old in text and knobs_lack(text.replace(old, new, 1)),
                   "notices %s for %s" % (new or "nothing", old))
    tap.clean(policies_lack(text), "README: the policies")
    tap.result(policies_lack(text.replace("| `bresenham` |", "| `bresen` |", 1)),
               "notices another policy")
    return tap.done()


sys.exit(main())
