# SPDX-License-Identifier: GPL-2.0-only
"""For command_*.t: a made-up machine below a folder, and newidle run on it."""

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
SCRIPTS = os.path.join(HERE, "..", "..", "scripts")
sys.path[:0] = [os.path.join(HERE, "..", "style"), SCRIPTS]
from tap import Tap, run

# A shell's background jobs are deaf to ^C, and so would be what tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

NOBODY = 65534
KNOBS = "/sys/kernel/newidle/"
DEBUG = "/sys/kernel/debug/newidle/domains"

TOOLS = {
    "id": "echo 0",
    "uname": '[ "$1" = -m ] && echo x86_64 || echo 6.12.74-amd64',
    "dmesg": 'cat "$R/log"',
    "modprobe": ":",
    "modinfo": 'for last; do :; done\n'
               '[ -e "$R/installed" ] && cat "$R/installed"',
}
VALUES = {
    "engine": "gate", "state": "active", "native": "random",
    "version": "0.1.0 ABCDEF", "policy": "stock always [random] value",
    "rate": "1", "window": "1024", "max_level": "smt llc node [all]",
    "reset": "",
}
READ_ONLY = ("engine", "state", "native", "version")
TOTALS = {"calls": 1000, "attempts": 250, "skips": 750, "pulls": 50,
          "retries": 0, "retry_pulls": 0, "cost_ns": 500000}
HEAD = "cpu depth level name span calls attempts skips pulls cost_ns ratio " \
    "retries retry_pulls"


class Machine:
    """with Machine() as m: one on which newidle is active."""

    def __init__(self, loaded=True):
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o755)
        self.root = os.path.join(self.folder, "root")
        self.put("/proc/uptime", "1000.00 0.00")
        self.put("/proc/mounts", "debugfs /sys/kernel/debug debugfs rw 0 0")
        self.put("/sys/devices/system/cpu/online", "0-3")
        self.put("/log", "[100.500000] newidle: 0.1.0: engine gate on x")
        for name, script in TOOLS.items():
            self.fake(name, script)
        if loaded:
            self.load()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def load(self):
        self.put("/sys/module/newidle/srcversion", "ABCDEF")
        self.put("/installed", "ABCDEF")
        for name, value in VALUES.items():
            self.put(KNOBS + name, value)
            os.chmod(self.path(KNOBS + name),
                     0o444 if name in READ_ONLY else 0o644)
        self.totals(**TOTALS)
        self.table(HEAD, "0 0 0 SMT 2 0 0 0 0 0 512 0 0")

    def path(self, name):
        return self.root + name

    def put(self, name, text):
        """At once, as the kernel's files change."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = text if isinstance(text, bytes) else (text + "\n").encode()
        with open(path + ".new", "wb") as f:
            f.write(data)
        if os.path.exists(path):
            shutil.copymode(path, path + ".new")
        os.rename(path + ".new", path)

    def get(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read().strip()

    def remove(self, name):
        path = self.path(name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)

    def unload(self):
        for name in ("/sys/module/newidle", "/sys/kernel/newidle",
                     "/sys/kernel/debug/newidle"):
            self.remove(name)

    def fake(self, name, script):
        self.put("/sbin/" + name, "#!/bin/sh\nR='%s'\n%s" %
                 (self.root, script))
        os.chmod(self.path("/sbin/" + name), 0o755)

    def totals(self, **values):
        for name, value in values.items():
            self.put(KNOBS + "stats/" + name, str(value))

    def table(self, head, *rows):
        self.put(DEBUG, "\n".join(["# " + head, *rows]))

    def environment(self, **more):
        wanted = dict(NEWIDLE_ROOT=self.root, PYTHONUTF8="1", TERM="xterm",
                      PYTHONDONTWRITEBYTECODE="")
        return dict(os.environ, **dict(wanted, **more))

    def run(self, *arguments, user=None, **env):
        """(exit status, what it printed, what it complained of)"""
        program = os.path.join(SCRIPTS, "newidle")
        python, options = sys.executable, {}
        if user and os.geteuid() == 0:
            # Where the tree is, a user may not be let in.
            copy = os.path.join(self.folder, "scripts")
            shutil.copytree(SCRIPTS, copy, dirs_exist_ok=True)
            program = os.path.join(copy, "newidle")
            python = shutil.which("python3", path="/usr/bin:/bin")
            options = {"user": user, "group": user, "extra_groups": []}
        done = subprocess.run(
            [python, program, *arguments], check=False, text=True,
            encoding="utf-8", errors="replace", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
            env=self.environment(**env), **options)
        return done.returncode, done.stdout, done.stderr

    @contextlib.contextmanager
    def inside(self):
        """For calls into the library itself; gives what they print."""
        from newidle_lib import machine
        before, machine.ROOT = machine.ROOT, self.root
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                yield printed
        finally:
            machine.ROOT = before


class Check(Tap):
    """Results with what the command said, if they are not as wanted."""

    def said(self, what, result, status, *wanted, err=(), absent=()):
        """The status, words on stdout and stderr, words on neither."""
        good = result[0] == status and all(w in result[1] for w in wanted) and \
            all(w in result[2] for w in err) and \
            not any(w in result[1] + result[2] for w in absent)
        self.result(good, what, ["wanted %r, %r, %r, not %r; got" % (
            status, wanted, err, absent), result[0],
            *result[1].splitlines(), *result[2].splitlines()])

    def same(self, what, have, wanted):
        self.result(have == wanted, what, ["wanted %r" % (wanted, ),
                                           "got    %r" % (have, )])


def built_tools(t, folder):
    """The command's programs in C, with what notices wrong accesses."""
    flags = "-O1 -g -Wall -Wextra -Wshadow -Werror -Wno-unused-parameter " \
        "-Wno-sign-compare -fsanitize=address,undefined " \
        "-fno-sanitize-recover=all"
    status, out = run(SCRIPTS + "/build-tools", folder,
                      env=dict(os.environ, CFLAGS=flags))
    t.result(status == 0 and not out, "the programs in C are built", [out])
    return folder


def interrupted(m, options, ready, numbers, seconds=60):
    """This test's --child, which gets these signals once it is ready and then has so
    many seconds to end: what ready() found, its status, and what it said."""
    with subprocess.Popen(
            [sys.executable, os.path.realpath(sys.argv[0]), "--child", m.root,
             json.dumps(options)], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True) as process:
        until = time.monotonic() + 60
        found = ready()
        while not found and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
            found = ready()
        for number in numbers:
            process.send_signal(number)
        try:
            said = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said = process.communicate()[0] + "\nit did not end"
    return found, process.returncode, said


def command_line(pid):
    try:
        with open("/proc/%s/cmdline" % pid, "rb") as f:
            return f.read()
    except OSError:
        return b""


def running(word):
    """Processes that have it in their command lines."""
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and
            word.encode() in command_line(pid)]
