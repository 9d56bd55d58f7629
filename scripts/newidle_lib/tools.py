# SPDX-License-Identifier: GPL-2.0-only
"""Programs in C that belong to the command: where they are, running them."""

import os
import signal

from .machine import FAILED, Failure

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def find(name):
    """Installed beside the library, or built in the source tree."""
    # For tests, which build them elsewhere.
    folders = [os.environ.get("NEWIDLE_TOOLS"), HERE, HERE + "/built"]
    for folder in filter(None, folders):
        program = "%s/%s" % (folder, name)
        if os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    raise Failure(FAILED, "%s is not built: make tools in newidle's source "
                  "directory, or make install-files; needs a C compiler and "
                  "apt-get install libc6-dev" % name)


def become(program, arguments):
    """Does not return; the program speaks for itself."""
    # Python ignores these, and not every program can undo that.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execv(program, [os.path.basename(program), *arguments])
