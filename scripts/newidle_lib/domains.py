# SPDX-License-Identifier: GPL-2.0-only
"""The table of debugfs newidle/domains, and what happened between two of them.

Columns are known by their names in the first line, since later versions add
some.  What can't be known, "-" in the file, is None here and stays unknown in
everything that is computed from it.
"""

from . import machine

FILE = "/sys/kernel/debug/newidle/domains"
COUNTERS = ("calls", "attempts", "skips", "pulls", "retries", "retry_pulls",
            "cost_ns")


def read_table():
    """The table, or a Failure that tells why it can't be read."""
    machine.need_loaded()
    try:
        text = machine.read(FILE)
    except PermissionError:
        why_denied()
    if text is None:
        why_missing()
    return parse(text)


def why_denied():
    machine.need_root()
    raise machine.Failure(machine.FAILED, FILE + " can't be read: the "
                          "kernel's lockdown or a security policy forbids it")


def why_missing():
    # It may have gone while we were looking.
    machine.need_loaded()
    mounts = machine.read("/proc/mounts") or ""
    if "debugfs" not in [(line.split() + [""] * 3)[2]
                         for line in mounts.splitlines()]:
        raise machine.Failure(machine.FAILED, "debugfs is not mounted: mount "
                              "-t debugfs debugfs /sys/kernel/debug")
    raise machine.Failure(machine.FAILED, FILE + " is missing: the kernel "
                          "log may tell why")


def number(cell):
    try:
        return int(cell)
    except ValueError:
        return None


def parse(text):
    """Rows by (level, CPU), each a dict of its cells by column."""
    lines = text.splitlines()
    head = lines[0].split() if lines else []
    if head[:1] != ["#"] or not {"cpu", "level", "name"} <= set(head):
        raise machine.Failure(machine.FAILED, FILE + " has no head that names "
                              "its columns")
    rows = {}
    for line in lines[1:]:
        cells = line.split()
        row = {column: number(cell) if column != "name" else cell
               for column, cell in zip(head[1:], cells)}
        if len(cells) != len(head) - 1 or None in (row["level"], row["cpu"]):
            raise machine.Failure(machine.FAILED, FILE + " has a line that "
                                  "does not fit its head: " + line)
        rows[row["level"], row["cpu"]] = row
    return rows


def labels(rows):
    """Each level's name; with its number where a name stands twice."""
    found = {level: row["name"] for (level, _), row in sorted(rows.items())}
    twice = list(found.values())
    return {level: name if twice.count(name) == 1 else "%s:%d" % (name, level)
            for level, name in found.items()}


def minus(after, before):
    return None if after is None or before is None else after - before


def plus(values):
    values = list(values)
    return None if None in values else sum(values)


def ratio(part, whole, factor=1.0):
    """None if unknown, or a share of nothing."""
    return None if part is None or not whole else factor * part / whole


def differences(before, after):
    """What each row counted since; None if the counters began anew.

    A row appears when its domain is used for the first time, so it was 0; none
    goes while newidle stays loaded.
    """
    if not set(before) <= set(after):
        return None
    grown = {}
    for key, row in after.items():
        old = before.get(key, dict.fromkeys(COUNTERS, 0))
        grown[key] = {c: minus(row[c], old.get(c))
                      for c in COUNTERS if c in row}
        if any(d is not None and d < 0 for d in grown[key].values()):
            return None
    return grown


def figures(grown, seconds, cpus):
    """What watch shows, from the differences of some rows."""
    total = {c: plus(row[c] for row in grown) if all(c in row for row in grown)
             else None for c in COUNTERS}
    # A module that counts no retries makes none.
    tries = [total["attempts"]]
    if grown and "retries" in grown[0]:
        tries.append(total["retries"])
    return {
        "decisions_per_s": ratio(total["calls"], seconds),
        "attempts_per_s": ratio(total["attempts"], seconds),
        "pulls_per_s": ratio(total["pulls"], seconds),
        "skip_pct": ratio(total["skips"], total["calls"], 100),
        "success_pct": ratio(total["pulls"], total["attempts"], 100),
        "mean_cost_us": ratio(total["cost_ns"], plus(tries), 1e-3),
        "cpu_pct": ratio(total["cost_ns"], seconds * 1e7),
        "all_cpus_pct": ratio(total["cost_ns"],
                              seconds * 1e7 * (cpus or 0)),
    }


def by_level(before, after, seconds, cpus):
    """Figures of each level, lowest first, then of all; True if reset."""
    grown = differences(before, after)
    is_reset = grown is None
    if is_reset:
        grown = {key: dict.fromkeys(COUNTERS) for key in after}
    result = []
    for level, label in labels(after).items():
        mine = [row for (of, _), row in grown.items() if of == level]
        result.append(dict(level=label, cpus=len(mine),
                           **figures(mine, seconds, cpus)))
    result.append(dict(level="all", cpus=len({cpu for _, cpu in after}),
                       **figures(list(grown.values()), seconds, cpus)))
    return result, is_reset


def online_cpus():
    """How many CPUs are online, from a list as 0-3,8; None if unknown."""
    count = 0
    for part in (machine.read("/sys/devices/system/cpu/online") or "").split(","):
        first, _, last = part.partition("-")
        if number(first) is None or number(last or first) is None:
            return None
        count += int(last or first) - int(first) + 1
    return count
