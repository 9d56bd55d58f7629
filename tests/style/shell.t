#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every shell script of the tree is POSIX sh and clean under shellcheck.

Scripts are known by their first line or by the name *.sh.  What a CI starts,
in .ci/, may be for bash.
"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
from tap import ROOT, Tap, read, run, shebang, tree_files

SHELLS = ("sh", "dash", "ash", "bash", "ksh", "zsh")

BAD = {
    "an unquoted variable": "#!/bin/sh\nrm -r $1\n",
    "a bashism": "#!/bin/sh\nif [[ $1 == x ]]; then echo; fi\n",
    "a syntax error": "#!/bin/sh\nif true; then\n",
    "another shell": "#!/bin/bash\necho\n",
}


def is_shell(path, text):
    return path.endswith(".sh") or shebang(text) in SHELLS


def check(path, root=ROOT):
    """Findings in one script."""
    name = shebang(read(path, root))
    if name == "bash" and path.startswith(".ci/"):
        dialect = "bash"
    elif name in ("sh", ""):
        dialect = "sh"
    else:
        return ["%s: written for %s, not sh" % (path, name)]
    status, out = run("shellcheck", "--norc", "-s", dialect, "-x",
                      "--source-path=SCRIPTDIR:.", "-f", "gcc", path, cwd=root)
    if status and not out:
        out = "%s: shellcheck gave %d" % (path, status)
    return out.splitlines()


def main():
    tap = Tap()
    scripts = [p for p in tree_files() if is_shell(p, read(p))]
    tap.result(len(scripts) > 5, "found %d shell scripts" % len(scripts))
    for path in scripts:
        tap.clean(check(path), path)
    with tempfile.TemporaryDirectory() as folder:
        for what, text in BAD.items():
            with open(os.path.join(folder, "bad"), "w", encoding="utf-8") as f:
                f.write(text)
            tap.result(check("bad", folder), "notices " + what)
    return tap.done()


sys.exit(main())
