# SPDX-License-Identifier: GPL-2.0-only
"""newidle set, newidle reset: write the files in /sys/kernel/newidle."""

import errno
import os
import signal
import stat

from . import machine
from .machine import FAILED, OK, WRONG_USE, Failure

MEANINGS = {
    errno.EINVAL: "bad value",
    errno.EOPNOTSUPP: "the kernel or the engine lacks what this value needs",
    errno.ESHUTDOWN: "newidle is being switched off",
    errno.EACCES: "only root may do this",
    errno.EPERM: "only root may do this",
    errno.ENOENT: "newidle was unloaded meanwhile",
    errno.ENODEV: "newidle was unloaded meanwhile",
}


def writable():
    """Names of all knobs: what can be written, but reset."""
    return [name for name in machine.names(machine.KNOBS)
            if name != "reset" and is_writable(name)]


def is_writable(name):
    """By its mode: root may open what nobody can write."""
    try:
        mode = os.stat(machine.path(machine.KNOBS + "/" + name)).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & stat.S_IWUSR)


def values():
    """Each knob with its value."""
    return {name: machine.chosen(machine.read(machine.KNOBS + "/" + name))
            for name in writable()}


def write(name, value):
    """Raises OSError if the kernel refuses, with its reason as errno."""
    fd = os.open(machine.path(machine.KNOBS + "/" + name),
                 os.O_WRONLY | os.O_TRUNC)
    try:
        os.write(fd, os.fsencode(value + "\n"))
    finally:
        os.close(fd)


def meaning(error):
    # Python knows EOPNOTSUPP by its other name.
    name = "EOPNOTSUPP" if error.errno == errno.EOPNOTSUPP else \
        errno.errorcode.get(error.errno, error.errno)
    return "%s (%s)" % (MEANINGS.get(error.errno, os.strerror(error.errno)),
                        name)


def log_end():
    """Tells a line from an earlier one of the same words."""
    lines = machine.log_lines()
    return (len(lines), lines[-1]) if lines else None


def kernels_words(before):
    """The line that the kernel logged since, to be put below a message."""
    end = log_end()
    return "" if end in (None, before) else "\n  " + end[1]


def parse(arguments):
    """Pairs of knob and value, or a Failure before anything is done."""
    pairs = []
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not name or not equals:
            raise Failure(WRONG_USE, "'%s' is not of the form KNOB=VALUE; see "
                          "newidle set --help" % argument)
        if name in dict(pairs):
            raise Failure(WRONG_USE, "%s is given twice" % name)
        pairs.append((name, value))
    machine.need_loaded()
    known = writable()
    for name, _ in pairs:
        if name == "engine":
            raise Failure(WRONG_USE, "the engine is chosen at load: newidle "
                          "unload && newidle load engine=...")
        if name not in known:
            raise Failure(WRONG_USE, "there is no knob '%s'; there are: %s" %
                          (name, " ".join(known)))
    return pairs


def put_back(done):
    """Last first.  What can't be put back is told, not hidden."""
    failed = []
    for name, old in reversed(done):
        try:
            write(name, old)
        except OSError as error:
            failed.append("%s could not be put back to %s: %s" %
                          (name, old, meaning(error)))
    return "\n  ".join([""] + (failed or ["nothing is changed"]))


def write_all(pairs):
    old = values()
    if None in [old.get(name) for name, _ in pairs]:
        raise Failure(FAILED, "newidle was unloaded meanwhile")
    before = log_end()
    done = []
    for name, value in pairs:
        try:
            write(name, value)
        except OSError as error:
            text = "%s=%s is refused: %s%s" % (name, value, meaning(error),
                                               kernels_words(before))
            raise Failure(FAILED, text + put_back(done)) from error
        done.append((name, old[name]))


def set_knobs(options):
    pairs = parse(options.knob)
    machine.need_root()
    # Half of them written would be neither what was nor what is wanted.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                   signal.SIGQUIT, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    write_all(pairs)
    return OK


def reset(_options):
    machine.need_loaded()
    machine.need_root()
    before = log_end()
    try:
        write("reset", "1")
    except OSError as error:
        raise Failure(FAILED, "the counters are not reset: " + meaning(error) +
                      kernels_words(before)) from error
    return OK
