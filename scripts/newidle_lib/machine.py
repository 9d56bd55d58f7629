# SPDX-License-Identifier: GPL-2.0-only
"""The machine that the command looks at: its files and programs.

All names are below NEWIDLE_ROOT, as in newidle-common.sh, so that tests can
give a made-up tree.
"""

import os
import re
import subprocess
import sys

OK, FAILED, WRONG_USE, REFUSED = range(4)

# For other programs, which may wait for a lock; seconds.
PATIENCE = 20

ROOT = os.environ.get("NEWIDLE_ROOT", "")
MODULE = "/sys/module/newidle"
KNOBS = "/sys/kernel/newidle"
PATCHES = "/sys/kernel/livepatch"

# What the user reads; as README.md has it.
ADVICE = {
    "transition": ("tasks are still being switched over",
                   "wait; newidle-load names who holds it up"),
    "shadowed": ("a later livepatch sits on the same function; ours is not "
                 "asked, and the kernel has its dice back", "unload that one"),
    "evicted": ("a livepatch that replaces all others switched ours off; the "
                "kernel decides again",
                "modprobe -r newidle, load again if wanted"),
    "disabled": ("somebody wrote 0 to /sys/kernel/livepatch/newidle/enabled",
                 "modprobe -r newidle"),
    "transparent": ("skipping was not provably safe on this kernel; "
                    "everything is passed through", "unload and report"),
}


def exit_status(failed):
    """For --help; load and unload have their own."""
    return """\
exit status:
  0  done
  1  %s
  2  wrong use
  3  refused, nothing done: only root may do this""" % failed


class Failure(Exception):
    """Ends the command with this exit status and message."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def version():
    """Of the command: dkms.conf has it in the source tree, and a file beside
    the library where it is installed.  None if neither is there."""
    here = os.path.dirname(os.path.realpath(__file__))
    for name, pattern in (("../version", r"(.+)"),
                          ("../../dkms.conf", r'PACKAGE_VERSION="(.+)"')):
        try:
            with open(os.path.join(here, name), encoding="ascii") as f:
                return re.search("^%s$" % pattern, f.read(), re.M)[1]
        except (OSError, TypeError):
            continue
    return None


def say(text):
    print("newidle: " + printable(text), file=sys.stderr)


def printable(text):
    """What others wrote must not reach a terminal as it is."""
    return "".join(c if c == "\n" or c.isprintable() else "?" for c in text)


def path(name):
    return ROOT + name


def exists(name):
    return os.path.exists(path(name))


def read_bytes(name):
    """All of a file; None if there is none.  PermissionError goes through."""
    try:
        with open(path(name), "rb") as f:
            return f.read()
    except PermissionError:
        raise
    except OSError:
        return None


def read(name):
    data = read_bytes(name)
    return None if data is None else data.decode("utf-8", "replace").strip()


def names(folder):
    """What is in a directory; nothing if there is none."""
    try:
        return sorted(os.listdir(path(folder)))
    except PermissionError:
        raise
    except OSError:
        return []


def chosen(text):
    """The choice in brackets, or the text if it is no choice; None stays."""
    if text and "[" in text:
        return text.partition("[")[2].partition("]")[0]
    return text


def find_tool(name):
    """Where a program of the system is, in the order newidle-load looks."""
    for folder in ("/usr/sbin", "/sbin", "/usr/bin", "/bin"):
        program = path(folder + "/" + name)
        if os.access(program, os.X_OK):
            return program
    return None


def tool(name, *arguments, complaints=False):
    """(exit status, output) of a program; None if it is not there, or hangs.

    What is looked for in the output stands in stdout alone, unless complaints
    are asked for too: a loader may have something to say before any program.
    """
    program = find_tool(name)
    if not program:
        return None
    try:
        done = subprocess.run(
            [program, *arguments], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, check=False, timeout=PATIENCE,
            stderr=subprocess.STDOUT if complaints else subprocess.DEVNULL,
            env=dict(os.environ, LC_ALL="C"), encoding="utf-8",
            errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.returncode, done.stdout


def output(name, *arguments):
    """What a program says if it succeeds, else None."""
    done = tool(name, *arguments)
    return done[1].strip() if done and done[0] == 0 else None


def is_root():
    return (output("id", "-u") == "0") if ROOT else os.geteuid() == 0


def uname(option):
    """The machine for "-m", the release for "-r"; None if unknown."""
    if ROOT:
        return output("uname", option)
    return os.uname().machine if option == "-m" else os.uname().release


def need_root():
    if not is_root():
        raise Failure(REFUSED, "only root may do this")


def need_loaded():
    if exists(KNOBS + "/state"):
        return
    if exists(MODULE):
        raise Failure(FAILED, "a module newidle is loaded whose files in "
                      "/sys/kernel/newidle are missing: it is being unloaded, "
                      "or was built for another kernel's headers")
    raise Failure(FAILED, "the module is not loaded")


def log_lines():
    """newidle's lines of the kernel log, oldest first; None if hidden."""
    text = output("dmesg")
    if text is None:
        return None
    return [line for line in text.splitlines() if "newidle: " in line]
