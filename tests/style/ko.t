#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""check-ko finds nothing in the modules that dkms built, and does find things.

Looks at /lib/modules/K/updates/dkms/newidle.ko* of every kernel K there; one
whose headers are here must have it.  The kernel's list of symbols is taken
from the headers, else from /lib/modules/K/Module.symvers, where whoever brings
a module from another place puts it.  Environment:

  NEWIDLE_KO  more modules, as "KO=SYMVERS KO=SYMVERS ...": paths of a module
              and of the Module.symvers of the kernel it was built for

For each kernel with headers here the modules of bad-ko/ are built, which are
wrong on purpose, one each for what check-ko must find, and one that is right.
"""

import glob
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
from tap import Tap, run

HERE = os.path.dirname(os.path.abspath(__file__))
CHECK = os.path.join(HERE, "check-ko")

# They call who listens to a tracepoint: the kernel's own and BPF's functions,
# which are made to be called so.
ALLOWED = ("--allow", "__traceiter_newidle_decide",
           "--allow", "__traceiter_newidle_done")

# Module, its findings: what each must say, in order.
SAMPLES = (
    ("right", ()),
    ("thunk", ("indirect: call", )),
    ("bare", ("indirect: call *", )),
    ("tail", ("in show: indirect: jmp", )),
    ("key", ("jump label on a key of the kernel: sched_smt_present", )),
    ("hidden", ("not exported by the kernel: kallsyms_lookup_name", )),
)


def kernels():
    return sorted(os.path.basename(os.path.dirname(p))
                  for p in glob.glob("/lib/modules/*/build")
                  if os.path.exists(p + "/Makefile"))


def symvers(kernel):
    built = "/lib/modules/%s/build/Module.symvers" % kernel
    return built if os.path.exists(built) else \
        "/lib/modules/%s/Module.symvers" % kernel


def as_expected(out, wanted):
    lines = out.splitlines()
    return len(lines) == len(wanted) and \
        all(w in line for w, line in zip(wanted, lines))


def test_built(tap, what, ko, symbols):
    status, out = run(CHECK, *ALLOWED, ko, symbols)
    tap.result(status == 0 and not out, "%s: %s is clean" % (what, ko),
               out.splitlines() + ["exit status %d" % status])


def test_samples(tap, kernel, folder):
    shutil.copytree(os.path.join(HERE, "bad-ko"), folder)
    status, out = run("make", "-j", str(os.cpu_count()), "-C",
                      "/lib/modules/%s/build" % kernel, "M=" + folder,
                      "KBUILD_MODPOST_WARN=1", "modules")
    tap.result(status == 0, "%s: bad-ko builds" % kernel, out.splitlines())
    if status:
        return
    for name, wanted in SAMPLES:
        ko = os.path.join(folder, name + ".ko")
        status, out = run(CHECK, ko, symvers(kernel))
        tap.result(status == bool(wanted) and as_expected(out, wanted),
                   "%s: %s.ko: %s" % (kernel, name, wanted[0] if wanted else
                                      "clean"),
                   out.splitlines() + ["exit status %d" % status])
    status, out = run(CHECK, "--allow", "show", os.path.join(folder, "tail.ko"),
                      symvers(kernel))
    tap.result(status == 0 and not out, "%s: --allow lets tail.ko pass" %
               kernel, out.splitlines())


def main():
    tap = Tap()
    found = kernels()
    tap.result(found, "kernels with headers: " + " ".join(found))
    built = {}
    for ko in sorted(glob.glob("/lib/modules/*/updates/dkms/newidle.ko*")):
        built.setdefault(ko.split("/")[3], []).append(ko)
    for kernel in sorted(set(found) | set(built)):
        kos = built.get(kernel, [])
        tap.result(len(kos) == 1, "%s: dkms built the module" % kernel, kos)
        for ko in kos:
            test_built(tap, kernel, ko, symvers(kernel))
    for pair in os.environ.get("NEWIDLE_KO", "").split():
        ko, _, symbols = pair.partition("=")
        test_built(tap, "NEWIDLE_KO", ko, symbols)
    for kernel in found:
        with tempfile.TemporaryDirectory() as folder:
            test_samples(tap, kernel, os.path.join(folder, "bad-ko"))
    for ko, symbols in ((CHECK, symvers(found[0]) if found else ""),
                        ("/nonexistent.ko", "/nonexistent")):
        tap.result(run(CHECK, ko, symbols)[0] == 2,
                   "check-ko does not take %s for a clean module" %
                   os.path.basename(ko))
    return tap.done()


sys.exit(main())
