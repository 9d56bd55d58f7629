#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The module builds without a warning and is clean under sparse.

Built from a copy of the tree against the headers of every kernel in
/lib/modules/*/build, with the kernel's extra warnings (W=1) too.
"""

import glob
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
from tap import ROOT, Tap, run, tree_files

# Debian's headers lack the script by which C=2 asks for sparse, and the kernel
# then does without, so the answer is given here.  The definitions are of words
# newer than sparse 0.6.4, which knows no __typeof_unqual__ and does not take
# the length of a constant string for a constant.
SPARSE = ("KBUILD_CHECKSRC=2", "CHECK=sparse",
          "CF=-D__typeof_unqual__=__typeof__ "
          "'-D__builtin_strlen(s)=(sizeof(s)-1)'")

BAD_KBUILD = "obj-m := bad.o\nbad-y := module/bad.o\n"
BAD = """\
#include <linux/compiler.h>
#include <linux/module.h>

int bad_global;

static inline int bad_user(int __user *p)
{
	return *p;
}

static int bad_unused(void)
{
	return bad_user(NULL);
}
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("not to be loaded");
"""
WANTED = (("an undeclared global", r"bad_global.*Should it be static"),
          ("a user pointer", r"dereference of noderef"),
          ("an unused function", r"bad_unused.*defined but not used"))


def findings(out):
    """What the compiler, sparse, objtool and modpost say of our files.

    "note: in included file" is not among them: it has no line of ours, and
    what follows is about a header of the kernel's.
    """
    return [line for line in out.splitlines() if
            re.search(r"(^|[\s/])module/[\w.-]+:\d+", line) or
            re.search(r"objtool|modpost", line) and
            re.search(r"warning|error", line, re.I)]


def sources(out, word):
    return set(re.findall(r"^\s+%s(?: \[M\])?\s.*?module/([\w-]+)\.[co]$" %
                          word, out, re.M))


def build(kernel, folder, *options):
    return run("make", "-k", "-j", str(os.cpu_count()),
               "-C", "/lib/modules/%s/build" % kernel, "M=" + folder,
               "W=1", *SPARSE, *options, "modules")


def test_build(tap, what, folder, status, out):
    """Gives the names of the files that were compiled."""
    tap.result(status == 0 and
               os.path.exists(os.path.join(folder, "newidle.ko")),
               what + ": builds", out.splitlines())
    tap.clean(findings(out), what + ": nothing to complain about")
    compiled, checked = sources(out, "CC"), sources(out, "CHECK")
    tap.result(compiled and compiled == checked,
               "%s: sparse looked at %d files" % (what, len(compiled)),
               sorted(compiled ^ checked))
    return compiled


def test_module(tap, kernel, folder):
    for path in tree_files():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, path), os.path.join(folder, path))
    seen = test_build(tap, kernel, folder, *build(kernel, folder))
    seen |= test_build(tap, kernel + " without LIVEPATCH", folder,
                       *build(kernel, folder, "CONFIG_LIVEPATCH=n"))
    there = {os.path.basename(p)[:-2]
             for p in glob.glob(os.path.join(ROOT, "module", "*.c"))}
    tap.result(seen == there, "%s: every file of the module was looked at" %
               kernel, sorted(seen ^ there))


def test_bad(tap, kernel, folder):
    os.makedirs(os.path.join(folder, "module"))
    for name, text in (("Kbuild", BAD_KBUILD), ("module/bad.c", BAD)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    out = "\n".join(findings(build(kernel, folder)[1]))
    for what, pattern in WANTED:
        tap.result(re.search(pattern, out), "%s: notices %s" % (kernel, what),
                   out.splitlines())


def main():
    tap = Tap()
    kernels = sorted(os.path.basename(os.path.dirname(p))
                     for p in glob.glob("/lib/modules/*/build")
                     if os.path.exists(p + "/Makefile"))
    tap.result(kernels, "kernels with headers: " + " ".join(kernels))
    for kernel in kernels:
        for test in (test_module, test_bad):
            with tempfile.TemporaryDirectory() as folder:
                test(tap, kernel, os.path.join(folder, "tree"))
    return tap.done()


sys.exit(main())
