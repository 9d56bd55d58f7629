#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What is installed is what tests/packages/files.* list; packages are compared
with the same lists when they are built (tests/packages/deb.sh)."""

import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "..", "style"))
from tap import ROOT, Tap, read, run

LISTS = ("tests/packages/files.dkms", "tests/packages/files.tools")
# Which the packaging adds to what "make install-files" puts.
BESIDES = re.compile(r"/etc/modprobe\.d/|/usr/share/doc/|/usr/src/")


def listed():
    """All files in all lists, as they are without a package."""
    lines = [line for name in LISTS for line in read(name).split("\n")
             if line and not line.startswith("#") and not BESIDES.match(line)]
    return sorted(re.sub(r"^/lib/", "/usr/lib/", re.sub(r"(/man\d/.*)\.gz$", r"\1", line))
                  for line in lines)


def installed(folder):
    env = {k: v for k, v in os.environ.items()
           if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    status, said = run("make", "-s", "-C", ROOT, "install-files",
                       "DESTDIR=" + folder, env=env)
    if status or said:
        return [said]
    return sorted(os.path.join(base, name)[len(folder):]
                  for base, _, names in os.walk(folder) for name in names)


def differ(have, want):
    return ["not listed: " + name for name in have if name not in want] + \
        ["not installed: " + name for name in want if name not in have] + \
        ["listed twice: " + name for name in set(want) if want.count(name) > 1]


def spec_differs(spec):
    """The RPMs' documents are those of the Debian packages."""
    debian = read("debian/newidle-tools.docs").split("\n")[1:]
    docs = re.findall(r"^%doc (.*)$", spec, re.M)
    wanted = "README.md docs/*.md"
    rpm = ["README.md"] + sorted("docs/" + name for name in os.listdir(ROOT + "/docs")
                                 if name.endswith(".md"))
    found = [] if docs == [wanted] else ["newidle.spec has %s" % docs]
    return found + ["not in one of them: " + name for name in
                    set(rpm) ^ {line for line in debian if line}]


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        have = installed(folder)
    want = listed()
    tap.result(len(want) > 30, "found the lists", want)
    tap.clean(differ(have, want), "installed is what the packages' lists have")
    tap.result(differ(have + ["/usr/sbin/more"], want) and differ(have[1:], want) and
               differ(have, want + want[:1]),
               "notices one more, one less, and one in both packages")
    spec = read("newidle.spec")
    tap.clean(spec_differs(spec), "both kinds of packages have the same documents")
    tap.result(spec_differs(spec.replace("docs/*.md", "")), "notices none")
    return tap.done()


sys.exit(main())
