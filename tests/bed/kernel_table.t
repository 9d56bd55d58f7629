#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The table of tested kernels is what the matrix found."""

import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "..", "style"))
from tap import ROOT, Tap, read

FILE = "docs/kernels-tested.md"
EMPTY = "# Words\n\n<!-- matrix -->\n<!-- /matrix -->\n\nMore.\n"
KERNELS = ("6.1", "6.12", "6.12.43", "7.3", "9.9")
ROWS = """\
passed|6.1|6.1.0-57-amd64|gate|random|5.1|412/412|2.0
passed|6.1|6.1.0-57-amd64|swap|random|5.2|430/430|2.1
refused|6.12.43|6.12.43+deb12-amd64|gate|-|-|refused: it books 3/2|-
failed|6.12.43|6.12.43+deb12-amd64|swap|none|4.0|120/130 FAILED|1.0
failed|7.3|7.3.4+deb13-amd64|gate|random+rate|3.0|guest failed|-
absent|9.9|-|-|-|-|not available: no image|-
"""


class Table:
    """A file with a table, and what comes of rows put into it."""

    def __init__(self, text=EMPTY):
        self.text = text

    def put(self, rows, commit):
        """Status; the text is what it is then."""
        with tempfile.NamedTemporaryFile("w+", encoding="utf-8") as f:
            f.write(self.text)
            f.flush()
            done = subprocess.run(
                [ROOT + "/tests/bed/kernel-table", f.name, commit, *KERNELS],
                input=rows, text=True, check=False, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
            f.seek(0)
            self.text, self.said = f.read(), done.stdout
        return done.returncode

    def rows(self):
        """[kernel, release, engine, native, load, tests, unload, commit]"""
        lines = [line for line in self.text.split("\n") if line.startswith("|")]
        return [[cell.strip() for cell in line.split("|")[1:-1]]
                for line in lines[2:]]


def same(tap, have, want, what):
    tap.result(have == want, what, ["have: %s" % (have,), "want: %s" % (want,)])


def test_new(tap):
    table = Table()
    same(tap, table.put(ROWS, "abc"), 0, "rows into an empty table")
    same(tap, table.rows(), [
        ["6.1", "6.1.0-57-amd64", "gate", "random", "5.1", "412/412", "2.0", "abc"],
        ["6.1", "6.1.0-57-amd64", "swap", "random", "5.2", "430/430", "2.1", "abc"],
        ["6.12.43", "6.12.43+deb12-amd64", "gate", "-", "-",
         "refused: it books 3/2", "-", "abc"],
        ["6.12.43", "6.12.43+deb12-amd64", "swap", "none", "4.0",
         "FAILED: 120/130 FAILED", "1.0", "abc"],
        ["7.3", "7.3.4+deb13-amd64", "gate", "random+rate", "3.0",
         "FAILED: guest failed", "-", "abc"],
        ["9.9", "-", "-", "-", "-", "not available: no image", "-", "abc"],
    ], "each verdict, in the order of kernels and engines")
    same(tap, (table.text.startswith("# Words\n\n<!-- matrix -->\n"),
               table.text.endswith("\n<!-- /matrix -->\n\nMore.\n")),
         (True, True), "what is around it stays")
    before = table.text
    table.put("\n".join(reversed(ROWS.strip().split("\n"))) + "\n", "abc")
    same(tap, table.text, before, "again, in another order: the same")


def test_later(tap):
    table = Table()
    table.put(ROWS, "abc")
    status = table.put("passed|7.3|7.3.4+deb13-amd64|gate|random+rate|3.3|400/400|1.1\n"
                       "passed|6.1|6.1.0-57-amd64|gate|random|5.1|412/412|2.0\n"
                       "absent|6.12.43|-|-|-|-|not available: gone|-\n", "def")
    commits = {(row[0], row[2]): (row[5], row[7]) for row in table.rows()}
    same(tap, (status, commits), (0, {
        ("6.1", "gate"): ("412/412", "abc"),
        ("6.1", "swap"): ("430/430", "abc"),
        ("6.12.43", "gate"): ("refused: it books 3/2", "abc"),
        ("6.12.43", "swap"): ("FAILED: 120/130 FAILED", "abc"),
        ("7.3", "gate"): ("400/400", "def"),
        ("9.9", "-"): ("not available: no image", "abc")}),
        "a later one: only what was found anew has its commit")
    table.put("passed|9.9|9.9.1|gate|none|1.0|5/5|1.0\n", "ghi")
    same(tap, [row for row in table.rows() if row[0] == "9.9"],
         [["9.9", "9.9.1", "gate", "none", "1.0", "5/5", "1.0", "ghi"]],
         "one that has become available")
    table.put("passed|9.9|9.9.1|gate|none|1.0|5/5 without stress|1.0\n", "ghi")
    same(tap, [row[5] for row in table.rows() if row[0] == "9.9"],
         ["5/5 without stress"], "it says which case was left out")
    table.put("failed|6.1|-|-|-|-|no headers for it|-\n", "ghi")
    same(tap, [row for row in table.rows() if row[0] == "6.1"],
         [["6.1", "-", "-", "-", "-", "FAILED: no headers for it", "-", "ghi"]],
         "one that can't be built any more: older results go")


def test_odd(tap):
    good = ROWS.split("\n", maxsplit=1)[0] + "\n"
    for what, rows, text in (
            ("no rows", "", EMPTY),
            ("a field too few", good.replace("|2.0", ""), EMPTY),
            ("no known verdict", good.replace("passed", "maybe"), EMPTY),
            ("a kernel that is not in the list", good.replace("6.1|", "6.2|"), EMPTY),
            ("another engine", good.replace("gate", "door"), EMPTY),
            ("passed without a number of tests", good.replace("412/412", "/"), EMPTY),
            ("passed without anybody knows what",
             good.replace("412/412", "412/412 without"), EMPTY),
            ("no marks", good, "# Words\n"),
            ("no end", good, EMPTY.replace("<!-- /matrix -->\n", "")),
            ("a table with other columns", good, EMPTY.replace(
                "<!-- matrix -->\n", "<!-- matrix -->\n| a | b |\n"))):
        table = Table(text)
        status = table.put(rows, "abc")
        tap.result(status and table.text == text and "kernel-table: " in table.said,
                   "refused, nothing written: " + what, [status, table.said])


def known():
    return {line.split()[0] for line in read("tests/bed/kernels.list").split("\n")
            if line and not line.startswith("#")}


def lacks(text):
    """What is wrong with the table as it is in the tree."""
    if text.count("<!-- matrix -->") != 1 or text.count("<!-- /matrix -->") != 1:
        return ["no marks"]
    return ["not in kernels.list: " + row[0] for row in Table(text).rows()
            if row[0] not in known()] + \
        ["no commit: %s" % row for row in Table(text).rows()
         if not re.match(r"[0-9a-f]{7,}$", row[-1])]


def main():
    tap = Tap()
    test_new(tap)
    test_later(tap)
    test_odd(tap)
    text = read(FILE)
    tap.clean(lacks(text), FILE + ": kernels that are known, with their commits")
    head = "| %s |\n| --- |\n" % " | ".join("abcdefgh")
    for what, row in (("an unknown kernel", "| 5.4 | | | | | | | 0123456 |"),
                      ("one without a commit", "| 7.3 | | | | | | | - |")):
        tap.result(lacks(EMPTY.replace("-->\n", "-->\n" + head + row + "\n", 1)),
                   "notices " + what)
    return tap.done()


sys.exit(main())
