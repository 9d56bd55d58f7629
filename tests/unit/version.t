#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""One version: dkms.conf says it, and all others say the same."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "..", "style"))
from tap import ROOT, Tap, read, run

ENV = {k: v for k, v in os.environ.items()
       if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}


def first(pattern, text):
    found = re.search(pattern, text, re.M)
    return found[1] if found else "none"


def kbuild(root):
    """What a build of the module in that tree defines."""
    done = subprocess.run(
        ["make", "-s", "-f", "-"], input="src := %s\ninclude $(src)/Kbuild\n"
        "$(info $(ccflags-y))\nall:\n" % root, check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENV)
    return first(r"""-DNEWIDLE_VERSION='"(.*)"'""", done.stdout)


def command(program):
    return first(r"\Anewidle (\S+)\n\Z", run(program, "--version", cwd="/")[1])


def installed(root):
    with tempfile.TemporaryDirectory() as folder:
        run("make", "-s", "-C", root, "install-files", "DESTDIR=" + folder,
            env=ENV)
        return command(folder + "/usr/sbin/newidle")


def versions(root):
    """Who says which."""
    return {
        "dkms.conf": first(r'^PACKAGE_VERSION="(.*)"$', read("dkms.conf", root)),
        "the module": kbuild(root),
        "debian/changelog": first(r"\Anewidle \((.*)\) ",
                                  read("debian/changelog", root)),
        "newidle.spec": first(r"^Version: *(\S+)$", read("newidle.spec", root)),
        "newidle.spec's changelog": first(
            r"^%changelog\n\* .* - (\S+)-\d+$", read("newidle.spec", root)),
        "newidle --version": command(root + "/scripts/newidle"),
        "newidle --version, installed": installed(root),
    }


def disagree(root):
    found = versions(root)
    if not re.match(r"\d+\.\d+\.\d+$", found["dkms.conf"]):
        return ["dkms.conf says " + found["dkms.conf"]]
    return ["%s: %s, but dkms.conf: %s" % (who, what, found["dkms.conf"])
            for who, what in found.items() if what != found["dkms.conf"]]


def copy_tree(to):
    skip = shutil.ignore_patterns(".git", "tests", "*.ko", "*.o", ".*")
    shutil.copytree(ROOT, to, ignore=skip)


def replace(path, old, new):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(old, new, 1))


def main():
    tap = Tap()
    tap.clean(disagree(ROOT), "all have one version")
    tap.result("MODULE_VERSION(NEWIDLE_VERSION)" in read("module/main.c"),
               "the module's is what its build defines")
    here = versions(ROOT)["dkms.conf"]
    with tempfile.TemporaryDirectory() as folder:
        for name, follow in (("dkms.conf", 4), ("debian/changelog", 1),
                             ("newidle.spec", 1)):
            copy = os.path.join(folder, name.replace("/", "-"))
            copy_tree(copy)
            replace(os.path.join(copy, name), here, "9.8.7")
            changed = [w for w, v in versions(copy).items() if v == "9.8.7"]
            tap.result(len(changed) == follow and disagree(copy),
                       "another one in %s is noticed" % name, changed)
    return tap.done()


sys.exit(main())
