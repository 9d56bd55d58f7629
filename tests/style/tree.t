#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Rules for every file of the tree, whatever its language.

License line, length, white space, no binaries, executable where it has an
interpreter, kernel versions looked at in one place, no foreign hosts or paths
of somebody's machine, Python that compiles, a policy core that knows nobody.
"""

import hashlib
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
from tap import ROOT, Tap, read, shebang, tree_files

LONGEST = 400
LICENSE = "SPDX-License-Identifier: GPL-2.0-only"
# Some formats have no comments.
WITHOUT_LICENSE = re.compile(
    r"\.md$|(^|/)(\.gitignore|COPYING|LICENSE)|^docs/ABI/|"
    r"^debian/(changelog|copyright|source/format)$")
# Somebody else's words, to be left as they are.
VERBATIM = {"COPYING": "edaef632cbb643e4e7a221717a6c441a4c1a7c918e6e4d56debc3d8739b233f6"}

# Hosts of the kernel's community, and Debian's for manuals, may be named.
GOOD_HOST = re.compile(
    r"^(([\w-]+\.)*kernel\.org|localhost|(www|wiki|bugs|manpages)\.debian\.org)$")
URL = re.compile(r"\b(?:https?|ftp|rsync|git)://([^\s/\"'<>)`]+)")
ARCHIVE = re.compile(r"\b((?:[\w-]+\.)*(?:debian|ubuntu)\.(?:org|net|com))\b")
SOMEBODYS_PATH = re.compile(
    r"(?<![\w.$}*/])/(?:home|root|work|workspaces?|builds|data)/[\w.-]+")

VERSION = re.compile(r"\bLINUX_VERSION_CODE\b|\bKERNEL_VERSION\s*\(|"
                     r"<linux/version\.h>|\bUTS_RELEASE\b")
CORE_MAY_INCLUDE = {
    "policy.h", "<linux/types.h>", "<linux/bitops.h>", "<linux/compiler.h>",
    "<linux/minmax.h>", "<stdbool.h>", "<stdint.h>"}


def license_line(path, text):
    if WITHOUT_LICENSE.search(path):
        return []
    lines = text.split("\n", 4)[:4]
    if path.endswith(".c"):
        good = lines[0] == "// " + LICENSE
    elif path.endswith(".h"):
        good = lines[0] == "/* %s */" % LICENSE
    elif re.match(r"man/.*\.[1-9]$", path):
        good = lines[0] == '.\\" ' + LICENSE
    else:
        good = "# " + LICENSE in lines[1 if shebang(text) else 0:2]
    return [] if good else ["no license line where it belongs"]


def length(path, text):
    n = text.count("\n")
    return ["%d lines" % n] if n > LONGEST else []


def white_space(path, text):
    found = ["line %d ends with a blank" % n
             for n, line in enumerate(text.split("\n"), 1)
             if line != line.rstrip()]
    if text and not text.endswith("\n"):
        found.append("no newline at the end")
    if text.endswith("\n\n"):
        found.append("blank line at the end")
    return found


def binary(path, text):
    return ["binary"] if "\0" in text or any(
        0xdc80 <= ord(c) <= 0xdcff for c in text) else []


def executable(path, text, root=ROOT):
    runs = os.access(os.path.join(root, path), os.X_OK)
    if text.startswith("#!") and not runs:
        return ["has an interpreter, but is not executable"]
    if runs and not text.startswith("#!"):
        return ["is executable, but has no interpreter"]
    return []


def one_place_for_versions(path, text):
    if path == "module/compat.h" or \
            not re.search(r"^module/|^Kbuild$", path):
        return []
    return ["line %d looks at the kernel version" % n
            for n, line in enumerate(text.split("\n"), 1)
            if VERSION.search(line)]


def hosts_and_paths(path, text):
    found = []
    for n, line in enumerate(text.split("\n"), 1):
        hosts = URL.findall(line) + ARCHIVE.findall(line)
        found += ["line %d names %s" % (n, h) for h in hosts
                  if not GOOD_HOST.match(h) and "$" not in h]
        found += ["line %d names %s" % (n, p)
                  for p in SOMEBODYS_PATH.findall(line)]
    return found


def python(path, text):
    if not path.endswith(".py") and not shebang(text).startswith("python"):
        return []
    try:
        compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as e:
        return [str(e)]
    return []


def core_knows_nobody(path, text):
    if path not in ("module/policy.c", "module/policy.h"):
        return []
    names = re.findall(r'^\s*#\s*include\s+("?<?[^\s]+)', text, re.M)
    return ["includes " + n for n in names
            if n.strip('"') not in CORE_MAY_INCLUDE]


# Each check with a file that it must complain about.
CHECKS = (
    (license_line, "a.c", "/* nothing */\n"),
    (license_line, "man/a.8", ".Dd today\n"),
    (length, "a.c", "\n" * (LONGEST + 1)),
    (white_space, "a.c", "int a; \n"),
    (binary, "a.c", "\x7fELF\0\n"),
    (executable, "a", "#!/bin/sh\n"),
    (one_place_for_versions, "module/a.c",
     "#if LINUX_VERSION_CODE < 1\n#endif\n"),
    (hosts_and_paths, "a.md", "see https:/" + "/mirror.example.net/x\n"),
    (hosts_and_paths, "a.md", "apt from deb.deb" + "ian.org\n"),
    (hosts_and_paths, "a", "cd /ho" + "me/me/src\n"),
    (python, "a.py", "def f(:\n"),
    (core_knows_nobody, "module/policy.c", "#include <linux/sched.h>\n"),
)


def altered(path, text):
    return [] if hashlib.sha256(text.encode()).hexdigest() == VERBATIM[path] else [
        path + " is not what it was"]


def check_verbatim(tap):
    for path in VERBATIM:
        tap.clean(altered(path, read(path)), path + " is as it came")
        tap.result(altered(path, read(path).replace("version 2", "version 3", 1)),
                   path + ": notices a change")


def main():
    tap = Tap()
    files = tree_files()
    texts = {p: read(p) for p in files if p not in VERBATIM}
    tap.result("module/policy.c" in files and len(files) > 30,
               "found %d files" % len(files), files)
    check_verbatim(tap)
    done = set()
    for check, path, bad in CHECKS:
        name = check.__name__.replace("_", " ")
        if check not in done:
            tap.clean(["%s: %s" % (p, f) for p, text in texts.items()
                       for f in check(p, text)], name)
            done.add(check)
        if check is executable:
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, path), "w",
                          encoding="utf-8") as f:
                    f.write(bad)
                found = check(path, bad, folder)
        else:
            found = check(path, bad)
        tap.result(found, "%s: notices a bad one" % name)
    return tap.done()


sys.exit(main())
