# SPDX-License-Identifier: GPL-2.0-only
"""What is wrong with a guest's run, from what it said on its two ports."""

import re

# The guest's init says these on the script's port.
ENDED = "newidle-guest: the script came to its end"
STATUS = "newidle-guest: status "

# In capitals as the kernel writes them: "debug:" is no "BUG:".
TROUBLE = re.compile(
    r"\bBUG:|\bWARNING:|\bOops\b|\bCall Trace\b|Kernel panic|"
    r"general protection|[Uu]nable to handle|double fault|invalid opcode|"
    r"rcu.*\bstall|rcu.*\bstarved|soft lockup|hard LOCKUP|"
    r"blocked for more than|scheduling while atomic|\bUBSAN:|\bK[ACM]SAN:|"
    r"refcount_t:|list_(add|del) corruption|stack guard page|"
    r"Out of memory|oom-kill|\bsegfault at\b|\bkmemleak: \d|"
    r"Unexpected reschedule|bad unlock balance|possible recursive|"
    # Of debug kernels; most have a line with BUG or WARNING too.
    r"suspicious RCU|circular locking|inconsistent lock state|"
    r"lock order detected|irq lock inversion|[Ii]nvalid wait context|"
    r"Nested lock was not taken|held lock freed|lock held when returning|"
    r"non-static key|locking correctness validator|DEBUG_LOCKS_WARN_ON|"
    r"\bODEBUG:|sleeping function called|in preemptible|corrupted stack end")
# The kernel has races of its own, which it knows of or not; ours are named for their
# module, on either side of the stroke.
FOREIGN = re.compile(r"BUG: KCSAN: (?!.*\[(newidle|nib_\w+)\])")
POWERED_OFF = "reboot: Power down"

TEST_LINE = re.compile(r"(not ok|ok)\b *(?:\d+\b *)?(.*)")
# A test that was not made is not taken for a good one, as prove would.
NOT_MADE = re.compile(r"# *(skip|todo)", re.I)


def troubles(kernel):
    """Lines that no good guest's kernel log has."""
    return [line for line in kernel
            if TROUBLE.search(line) and not FOREIGN.search(line)]


class Run:
    """What is left of one run of a guest."""

    def __init__(self, spoken, kernel, status, seconds):
        self.spoken = spoken    # lines of the script
        self.kernel = kernel    # lines of the kernel
        self.status = status    # QEMU's, None if it had to be killed
        self.seconds = seconds  # that the guest had

    def said(self, words):
        return any(line.startswith(words) for line in self.spoken)

    def ended(self):
        """Did the script run to its last line?"""
        return self.said(ENDED) and self.said(STATUS + "0")

    def powered_off(self):
        """Not reset, as after a panic, nor killed."""
        return self.status == 0 and \
            any(POWERED_OFF in line for line in self.kernel)

    def verdict(self):
        """Pairs of what must hold and whether it does."""
        return [
            ("the script came to its end", self.ended()),
            ("the kernel's log has no warning, oops, stall or lockup",
             not troubles(self.kernel)),
            ("the guest powered off within %d s" % self.seconds,
             self.powered_off()),
        ]

    def good(self):
        return all(held for _, held in self.verdict())


def tap(run):
    """The script's tests and the verdict on the guest, as lines of TAP, and
    whether all is good.  A script without tests is not good."""
    tests = []
    lines = []

    def test(passed, what):
        tests.append(passed)
        lines.append("%s %d %s" % ("ok" if passed else "not ok",
                                   len(tests), what))

    for line in run.spoken:
        match = TEST_LINE.match(line)
        if match:
            skipped = NOT_MADE.search(match[2])
            test(match[1] == "ok" and not skipped,
                 match[2].replace("#", ":") if skipped else match[2])
        elif line.startswith("#"):
            lines.append(line)
        elif line and not line.startswith("newidle-guest: "):
            lines.append("# " + line)
    test(len(tests) > 0, "- the script has tests")
    for what, held in run.verdict():
        test(held, "- " + what)
    lines += ["# " + line for line in troubles(run.kernel)[:20]]
    if not run.good():
        lines.append("# the end of the kernel's log:")
        lines += ["#   " + line for line in run.kernel[-60:]]
    lines.append("1..%d" % len(tests))
    return lines, all(tests)
