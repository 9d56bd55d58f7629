#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The command as installed, its help, what it hands over, its completion."""

import os
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
from command import SCRIPTS, Check, Machine
from newidle_lib import workloads
from tap import ROOT, run

COMPLETION = "/usr/share/bash-completion/completions/newidle"
SUBCOMMANDS = "check status watch set reset load unload bench record replay recommend".split()
PROGRAMS = ("newidle-barrier", "newidle-collect", "newidle-replay",
            "newidle-waker")


def make(target, folder, **env):
    return run("make", "-s", "-C", ROOT, target, "DESTDIR=" + folder,
               env=dict({k: v for k, v in os.environ.items() if k not in
                         ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}, **env))


def files(folder):
    return sorted(os.path.join(base, name)[len(folder):]
                  for base, _, names in os.walk(folder) for name in names)


def ours(folder):
    """Files and directories of ours below a folder."""
    return [base for base, folders, names in os.walk(folder)
            if "newidle" in " ".join([base[len(folder):]] + folders + names)]


def test_install(t):
    with Machine() as m:
        to = os.path.join(m.folder, "dest")
        t.same("install-files", make("install-files", to), (0, ""))
        before = files(to)
        program = to + "/usr/sbin/newidle"
        link = os.path.join(m.folder, "link")
        os.symlink(program, link)
        for what, path in (("installed", program), ("by a link", link)):
            status, out = run(path, "status", "--no-sample", cwd="/",
                              env=m.environment())
            t.result(status == 0 and "active" in out, what + ": it runs", [out])
        t.same("running it leaves nothing behind", files(to), before)
        status, out = run(program, "unload", "--help", env=m.environment())
        t.result(status == 0 and out.startswith("usage: newidle-unload"),
                 "installed: finds newidle-unload", [out])
        t.result(COMPLETION in before, "installed: completion")
        t.same("installed: programs in C", [
            name for name in PROGRAMS if not os.access(
                "%s/usr/lib/newidle/%s" % (to, name), os.X_OK)], [])
        status, out = run(program, "replay", "--help", env=m.environment())
        t.result(status == 0 and out.startswith("usage: newidle replay"),
                 "installed: finds newidle-replay", [out])
        t.same("uninstall-files", make("uninstall-files", to), (0, ""))
        t.same("uninstall-files: no file is left", files(to), [])
        t.same("uninstall-files: nothing of ours is left", ours(to), [])
        status, out = make("install-files", to, CC="false")
        t.result(status == 0 and "left out: newidle record, replay" in out,
                 "without a compiler the rest is installed", [out])
        t.same("without a compiler: what is left out",
               sorted(set(before) - set(files(to))),
               ["/usr/lib/newidle/" + name for name in PROGRAMS])
        t.same("uninstall-files: that too", make("uninstall-files", to), (0, ""))
        t.same("uninstall-files: nothing of that is left", ours(to), [])


def unit_lacks(unit, there):
    """What is wrong with newidle.service, by what is installed."""
    lines = dict(line.split("=", 1) for line in unit.splitlines()
                 if "=" in line and not line.startswith("#"))
    found = ["%s: not installed" % lines.get(name)
             for name in ("ExecStart", "ExecStop") if lines.get(name) not in there]
    if lines.get("ConditionKernelCommandLine") != "!newidle.off":
        found.append("no kill switch")
    return found


def test_unit(t):
    with Machine() as m:
        to = os.path.join(m.folder, "dest")
        make("install-files", to)
        unit = "/usr/lib/systemd/system/newidle.service"
        with open(to + unit, encoding="utf-8") as f:
            text = f.read()
        t.same("unit: starts and stops what is there",
               unit_lacks(text, files(to)), [])
        t.result(unit_lacks(text.replace("newidle-unload", "newidle-unlaod"),
                            files(to)), "unit: notices a missing program")
        t.same("unit: not enabled", [name for name in files(to)
                                     if ".wants/" in name], [])


def test_help(t):
    with Machine(loaded=False) as m:
        t.said("--help", m.run("--help"), 0, "exit status:", *SUBCOMMANDS)
        for name in SUBCOMMANDS:
            # Needs its program, which replay.t builds.
            if name == "replay":
                continue
            program = "newidle-" + name if "load" in name else "newidle " + name
            t.said(name + " --help", m.run(name, "--help"), 0,
                   "usage: " + program, "exit status:")
        t.said("no subcommand", m.run(), 2, err=["usage: newidle"])
        t.said("no such subcommand", m.run("chekc"), 2, err=["invalid choice"])
        t.said("no such option", m.run("status", "--jso"), 2,
               err=["unrecognized arguments: --jso"])


def test_hand_over(t):
    with Machine() as m:
        t.said("load: its arguments are handed over",
               m.run("load", "--timeout", "x", "rate=1"), 2,
               err=["newidle-load: --timeout needs a number"])
        m.fake("modinfo", "echo 'rate:what (uint)'")
        t.said("load: its exit status", m.run("load", "rate=1"), 3,
               err=["newidle-load: it is loaded already"])
        m.fake("id", 'grep SigIgn: /proc/self/status > "$R/ignored"; echo 0')
        m.run("load")
        ignored = int(m.get("/ignored").split()[1], 16)
        t.same("load: no signal is ignored that was not",
               ignored & (1 << signal.SIGPIPE - 1), 0)
        t.said("unload: its arguments are handed over",
               m.run("unload", "now"), 2, err=["'now' is not understood"])


# As bash splits words at "=" before it completes them.
DRIVER = """
. "$0"
compopt() { options="$*"; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_newidle
printf '%s\\n' "${COMPREPLY[@]}" "$options"
"""


def completed(m, *words):
    """(what bash offers for the last word, options of that)"""
    done = subprocess.run(
        ["bash", "--norc", "-c", DRIVER, SCRIPTS + "/newidle.bash-completion",
         "newidle", *words], check=False, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(m.environment(), PATH=m.path("/sbin") + ":/usr/bin:/bin"))
    *offers, options = done.stdout.split("\n")[:-1]
    return sorted(o for o in offers if o), options


def test_completion(t):
    with Machine() as m:
        for what, words, wanted in (
                ("subcommands", [""], sorted(SUBCOMMANDS +
                                                ["--help", "--version"])),
                ("a subcommand", ["st"], ["status"]),
                ("options", ["status", "--"], ["--help", "--json",
                                               "--no-sample"]),
                ("a number", ["watch", "-n", ""], []),
                ("workloads", ["bench", "h"], ["hackbench"]),
                ("which is better", ["bench", "--better", ""],
                 ["higher", "lower"]),
                ("files", ["replay", SCRIPTS + "/newidle.m"],
                 [SCRIPTS + "/newidle.modprobe"]),
                ("options behind files", ["replay", "--w"], ["--window"]),
                ("knobs", ["set", ""], ["--help", "max_level=", "policy=",
                                        "rate=", "window="]),
                ("a second knob", ["set", "rate", "=", "1", "po"], ["policy="]),
                ("choices", ["set", "policy", "="], ["always", "random",
                                                     "stock", "value"]),
                ("a choice", ["set", "policy", "=", "r"], ["random"]),
                ("a choice, = being no word break", ["set", "policy=a"],
                 ["policy=always"]),
                ("a number's values", ["set", "rate", "="], []),
                ("no such knob", ["set", "nonsense", "="], []),
                ("no path", ["set", "../newidle/policy", "="], [])):
            t.same("completes " + what, completed(m, *words)[0], wanted)
        t.same("completes all workloads", [
            name for name in workloads.BUILT_IN
            if name not in completed(m, "bench", "")[0]], [])
        t.same("no blank behind KNOB=", completed(m, "set", "po")[1],
               "-o nospace")
        t.same("a blank behind a choice",
               completed(m, "set", "policy", "=", "r")[1], "")
        m.unload()
        m.put("/lib/modules/6.1.0-9-amd64/x", "")
        t.same("completes kernels", completed(m, "check", "6")[0],
               ["6.1.0-9-amd64"])
        m.fake("modinfo", "echo 'engine:one of auto swap gate (default auto)'")
        t.same("not loaded: completes engines",
               completed(m, "load", "engine", "=", "s")[0], ["swap"])
        m.fake("modinfo", "echo 'rate:what (uint)'; echo 'test_absent:(charp)'")
        t.same("not loaded: completes parameters", completed(m, "load", "")[0],
               ["--help", "--timeout", "rate="])
        status, out = run("bash", "--norc", "-c", '. "$0"; complete -p newidle',
                          SCRIPTS + "/newidle.bash-completion")
        t.same("completion is registered", (status, out),
               (0, "complete -F _newidle newidle\n"))


def main():
    t = Check()
    for test in (test_install, test_unit, test_help, test_hand_over, test_completion):
        test(t)
    return t.done()


sys.exit(main())
