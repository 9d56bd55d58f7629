# SPDX-License-Identifier: GPL-2.0-only
"""What can be known of a kernel from outside: release, configuration, symbols."""

import gzip
import re

from . import machine
from .machine import WRONG_USE, Failure

NEWIDLE = ("sched_balance_newidle", "newidle_balance")
BALANCER = ("sched_balance_rq", "load_balance")
# How the module finds all others; 6.1 has it from 6.1.60 on.
SEARCH = "kallsyms_on_each_match_symbol"
WANTED = NEWIDLE + BALANCER + (SEARCH, )


def running_release():
    return machine.uname("-r") or "unknown"


class Kernel:
    """One that is installed here; reads nothing before it is asked."""

    def __init__(self, release=None):
        running = running_release()
        self.release = release or running
        self.is_running = self.release == running
        self.modules = "/lib/modules/" + self.release
        if release and not self.is_running:
            check_installed(release)

    def version(self):
        """(6, 12) of 6.12.74+deb13-amd64; None if that is no version."""
        found = re.match(r"(\d+)\.(\d+)", self.release)
        return (int(found.group(1)), int(found.group(2))) if found else None

    def config(self):
        """Its configuration; None if there is none to be read."""
        hidden = None
        for read, name in self.config_files():
            try:
                text = read(name)
            except PermissionError as error:
                hidden = error
                continue
            if text:
                return dict(re.findall(r"^(CONFIG_\w+)=(.*)$", text, re.M))
        if hidden:
            raise hidden
        return None

    def config_files(self):
        yield machine.read, "/boot/config-" + self.release
        yield machine.read, self.modules + "/config"
        if self.is_running:
            yield read_gzip, "/proc/config.gz"
        yield machine.read, self.modules + "/build/.config"

    def symbols(self):
        """How often each wanted function stands there; None if unknown."""
        text = machine.read("/proc/kallsyms" if self.is_running else
                            "/boot/System.map-" + self.release)
        if not text:
            return None
        found = re.findall(r"^\S+ [tT] (%s)$" % "|".join(WANTED), text, re.M)
        # Debian's System.map is a line that names another package.
        if not found and " t " not in text and " T " not in text:
            return None
        return {name: found.count(name) for name in WANTED}

    def has_dice(self):
        """Does it balance proportionally by itself?  None if unknown."""
        types = machine.read_bytes("/sys/kernel/btf/vmlinux") \
            if self.is_running else None
        return b"\0newidle_ratio\0" in types if types else None


def check_installed(release):
    known = machine.names("/lib/modules")
    if "/" in release or release not in known:
        raise Failure(WRONG_USE, "there is no kernel %s in /lib/modules; there "
                      "are: %s" % (release, " ".join(known) or "none"))


def read_gzip(name):
    data = machine.read_bytes(name)
    try:
        return gzip.decompress(data).decode("utf-8", "replace") if data else None
    except (OSError, EOFError):
        return None


def compiler(text):
    """("gcc", 12) from what a compiler says of itself, or None."""
    bare = re.sub(r"\([^()]*\)", "", text or "")
    found = re.search(r"\b(\d+)\.\d+", bare)
    if not found:
        return None
    return "clang" if "clang" in bare else "gcc", int(found.group(1))
