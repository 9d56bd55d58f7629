# SPDX-License-Identifier: GPL-2.0-only
"""TAP output, programs to look into, and the files of the tree, for checks in Python."""

import fnmatch
import importlib.machinery
import importlib.util
import os
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


class Tap:
    """Numbered results; done() prints the plan and gives the exit status."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def result(self, good, what, details=()):
        """One test; the details explain a failure."""
        self.count += 1
        self.failed += not good
        print("%s %d - %s" % ("ok" if good else "not ok", self.count, what))
        if not good:
            for line in details:
                print("#   " + str(line))
        sys.stdout.flush()

    def clean(self, findings, what):
        """One test that passes if there is nothing to complain about."""
        self.result(not findings, what, findings)

    def done(self):
        print("1..%d" % self.count)
        return 1 if self.failed or not self.count else 0


def run(*command, **options):
    """Runs a command; gives its exit status and all that it printed."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=options.pop("stdin", subprocess.DEVNULL), check=False,
        encoding="utf-8", errors="replace", **options)
    return done.returncode, done.stdout


def script_module(path):
    """A Python program without a suffix, to call what is in it."""
    name = os.path.basename(path)
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def ignore_patterns(root):
    try:
        with open(os.path.join(root, ".gitignore"), encoding="utf-8") as f:
            lines = [line.strip() for line in f]
    except FileNotFoundError:
        return []
    return [line for line in lines if line and not line.startswith("#")]


def ignored(path, patterns):
    """The simple forms of .gitignore: *.o, name, dir/, /anchored/path."""
    parts = path.split("/")
    for pattern in patterns:
        bare = pattern.strip("/")
        if "/" in pattern.rstrip("/"):
            if fnmatch.fnmatch(path, bare) or path.startswith(bare + "/"):
                return True
        elif any(fnmatch.fnmatch(part, bare) for part in
                 (parts[:-1] if pattern.endswith("/") else parts)):
            return True
    return False


def walk(root):
    """As tree_files(), without git's help."""
    patterns = ignore_patterns(root)
    for folder, folders, names in os.walk(root):
        folders[:] = [d for d in folders if d not in (".git", "__pycache__")]
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), root)
            if name != ".git" and not ignored(path, patterns):
                yield path


def tree_files(root=ROOT):
    """All files of the tree, tracked or new, but not the ignored ones."""
    if os.path.exists(os.path.join(root, ".git")):
        try:
            status, out = run("git", "-C", root, "ls-files", "-co", "-z",
                              "--exclude-standard")
        except FileNotFoundError:
            status = 1
        if not status:
            return sorted(p for p in set(out.split("\0"))
                          if p and os.path.isfile(os.path.join(root, p)))
    return sorted(walk(root))


def read(path, root=ROOT):
    with open(os.path.join(root, path), encoding="utf-8",
              errors="surrogateescape") as f:
        return f.read()


def shebang(text):
    """The interpreter that the first line asks for: "sh", "python3", ""."""
    if not text.startswith("#!"):
        return ""
    words = text[2:].split("\n", 1)[0].split()
    if not words:
        return ""
    name = os.path.basename(words[0])
    if name in ("env", "busybox") and len(words) > 1:
        name = os.path.basename(words[1])
    return name
