# SPDX-License-Identifier: GPL-2.0-only
"""newidle status: what is loaded, how it is set, what it has counted."""

import json
import re
import time

from . import knobs, machine
from .check import patched
from .domains import minus, ratio
from .machine import ADVICE, KNOBS, MODULE, OK

TOTALS = (("calls", "decisions"), ("attempts", "attempts"), ("skips", "skips"),
          ("pulls", "pulls"), ("retries", "retries"),
          ("retry_pulls", "retry pulls"), ("cost_ns", "cost, ns"))


def quiet(read, *arguments):
    """What may not be looked at is as unknown as what is missing."""
    try:
        return read(*arguments)
    except PermissionError:
        return None


def knob(name):
    return machine.chosen(quiet(machine.read, KNOBS + "/" + name)) or None


def totals():
    found = {}
    for name, _ in TOTALS:
        text = quiet(machine.read, KNOBS + "/stats/" + name)
        found[name] = int(text) if text and text.isdigit() else None
    return found


def sample(seconds):
    """Totals, and their growth a second; None where it was reset meanwhile."""
    first, start = totals(), time.monotonic()
    time.sleep(seconds)
    last, passed = totals(), time.monotonic() - start
    grown = {name: minus(last[name], first[name]) for name in last}
    if any(d is not None and d < 0 for d in grown.values()):
        grown = dict.fromkeys(grown)
    return last, {name: ratio(d, passed) for name, d in grown.items()}, passed


def slept():
    """Seconds for which the machine has been suspended."""
    return 0 if machine.ROOT else \
        time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()


def loaded_for():
    """Seconds since it was loaded, by the kernel log; None if unknown.

    The files' own times tell when somebody first looked at them.  The log's
    clock stands still while the machine is suspended.
    """
    uptime = (machine.read("/proc/uptime") or "").split()
    stamp = None
    for line in machine.log_lines() or ():
        if re.search(r"newidle: \S+: engine ", line):
            stamp = re.match(r"\[ *(\d+\.\d+)\]", line)
    if not stamp or not uptime or slept() > 60:
        return None
    try:
        seconds = float(uptime[0]) - float(stamp.group(1))
    except ValueError:
        return None
    return seconds if seconds >= 0 else None


def versions():
    """What is loaded, against what modprobe would load."""
    version = knob("version")
    loaded = quiet(machine.read, MODULE + "/srcversion")
    installed = machine.output("modinfo", "-F", "srcversion", "newidle")
    return {"version": version.split()[0] if version else None,
            "srcversion": loaded or None,
            "installed_srcversion": installed or None,
            "stale": loaded != installed if loaded and installed else None}


def collect(options):
    state = knob("state")
    meaning, advice = ADVICE.get(state, (None, None))
    if state == "shadowed":
        for patch, function in quiet(lambda: list(patched())) or ():
            advice += ": %s (on %s)" % (patch, function)
    facts = {"loaded": True, "state": state, "meaning": meaning,
             "advice": advice, "engine": knob("engine"),
             "native": knob("native"), "policy": knob("policy"),
             "knobs": quiet(knobs.values) or {},
             "loaded_for_s": quiet(loaded_for)}
    facts.update(versions())
    if options.sample:
        facts["totals"], facts["per_s"], facts["sample_s"] = sample(1.0)
        machine.need_loaded()
    else:
        facts["totals"], facts["per_s"], facts["sample_s"] = totals(), None, None
    return facts


def say(value):
    return "-" if value is None else str(value)


def duration(seconds):
    if seconds is None:
        return "-"
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(time.time() - seconds))
    for unit, name in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return "since about %s (%d %s)" % (when, seconds // unit, name)
    return "since about %s (%d s)" % (when, seconds)


def version_line(facts):
    text = "%s, source %s" % (say(facts["version"]), say(facts["srcversion"]))
    if facts["stale"]:
        return text + (": stale, installed is %s; to change: newidle unload "
                       "&& newidle load" % facts["installed_srcversion"])
    if facts["stale"] is None:
        return text + ", installed -"
    return text + ", as installed"


def table(facts):
    yield "%-16s %20s%s" % ("since reset", "total", "" if not facts["per_s"] else
                            "   per second, over %.1f s" % facts["sample_s"])
    for name, words in TOTALS:
        line = "  %-14s %20s" % (words, say(facts["totals"][name]))
        if facts["per_s"]:
            rate = facts["per_s"][name]
            line += " %12s" % ("-" if rate is None else "%.1f" % rate)
        yield line


def lines(facts):
    yield "state            " + say(facts["state"])
    if facts["advice"]:
        yield "  meaning        " + facts["meaning"]
        yield "  what to do     " + facts["advice"]
    yield "engine           " + say(facts["engine"])
    yield "kernel's own     " + say(facts["native"])
    yield "policy           " + say(facts["policy"])
    for name, value in facts["knobs"].items():
        if name != "policy":
            yield "  %-14s %s" % (name, say(value or None))
    yield "loaded           " + duration(facts["loaded_for_s"])
    yield "version          " + version_line(facts)
    yield from table(facts)


def status(options):
    try:
        machine.need_loaded()
        facts = collect(options)
    except machine.Failure as failure:
        if options.json:
            print(json.dumps({"loaded": False, "reason": str(failure)}))
        raise
    if options.json:
        print(json.dumps(facts))
    else:
        print(machine.printable("\n".join(lines(facts))))
    return OK
