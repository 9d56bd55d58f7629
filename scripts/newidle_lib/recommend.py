# SPDX-License-Identifier: GPL-2.0-only
"""newidle recommend: the policy that a recording speaks for, and how surely."""

import json
import os
import subprocess
import sys
import tempfile

from . import machine, record, stats, tools
from .keeping import Interrupted
from .machine import FAILED, KNOBS, OK, Failure
from .stats import quantile

LEVEL = 0.95
TIMES = 2000
# With fewer pulls than this nothing is said.
PULLS = 100
FILE = "/etc/modprobe.d/newidle-policy.conf"
# What is recommended names these, as far as they are not as loaded by default.
DEFAULTS = {"policy": "random", "rate": "1", "rate_shift": "22",
            "window": "1024", "value_cost_pct": "100", "retry": "0",
            "retry_idle_pct": "50", "max_level": "all"}


def replay(words):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE)
    if done.returncode:
        # It has said why.
        raise Failure(FAILED, "nothing can be recommended")
    return json.loads(done.stdout)


def replayed(path, options, extra):
    """Under all policies that replay has by itself, and those of extra."""
    words = [tools.find("newidle-replay"), "--json", path]
    for name in ("cost_limit", "cost_pct"):
        if getattr(options, name) is not None:
            words[1:1] = ["--" + name.replace("_", "-"),
                          str(getattr(options, name))]
    result = replay(words)
    known = {row["name"] for row in result["variants"]}
    missing = [name for name in extra if name not in known]
    if missing:
        for name in missing:
            words[1:1] = ["--policy", name]
        result["variants"] += replay(words)["variants"]
    return result


def knobs_of(name):
    return dict(DEFAULTS, **dict(pair.split("=") for pair in name.split(",")))


def plainness(row):
    """Fewer knobs that are not as loaded are easier to live with."""
    return sum(value != DEFAULTS[knob]
               for knob, value in knobs_of(row["name"]).items())


def current():
    """The knobs in force as a variant; None if that is stock, or not loaded."""
    found = {name: machine.chosen(machine.read(KNOBS + "/" + name))
             for name in DEFAULTS}
    if not found["policy"] or found["policy"] == "stock":
        return None
    pairs = ["policy=" + found.pop("policy")]
    return ",".join(pairs + ["%s=%s" % pair for pair in found.items() if
                             pair[1] not in (None, DEFAULTS[pair[0]])])


def compare(row, other, samples):
    """Differences of the net gain over the resampled stretches, in order."""
    have, base = row["net_ns_by_stretch"], other["net_ns_by_stretch"]
    each = [a - b for a, b in zip(have, base)]
    return sorted(sum(each[i] for i in sample) for sample in samples)


def judge(result, base, worth_pct):
    """The recommendation, as a dict."""
    rows = result["variants"]
    cpu_ns = result["duration_ns"] * result["cpus"]
    worth = worth_pct / 100 * cpu_ns
    samples = stats.resampled(len(rows[0]["net_ns_by_stretch"]), TIMES)
    top = max(rows, key=lambda row: row["net_ns"])
    # Of what is as good as the best for all that matters, the plainest.
    good = [row for row in rows if top["net_ns"] - row["net_ns"] <= worth / 2]
    best = min(good, key=lambda row: (plainness(row), -row["net_ns"]))
    gain = best["net_ns"] - base["net_ns"]
    differences = compare(best, base, samples)
    tail = (1 - LEVEL) / 2
    low, high = quantile(differences, tail), quantile(differences, 1 - tail)
    found = {"best": best["name"], "base": base["name"],
             "net_ns": best["net_ns"], "gain_ns": gain, "low_ns": low, "high_ns": high,
             "gain_pct": 100 * gain / cpu_ns if cpu_ns else None,
             "low_pct": 100 * low / cpu_ns if cpu_ns else None,
             "high_pct": 100 * high / cpu_ns if cpu_ns else None,
             "worth_pct": worth_pct, "share_of_oracle": best["share_of_oracle"],
             "sure": as_good(best, rows, samples, worth),
             "pulls": result["pulled_passes"],
             "cost_limit_ns": result["cost_limit_ns"],
             "cost_pct": result["cost_pct"],
             "cut_attempts": result["cut_attempts"]}
    if result["pulled_passes"] < PULLS:
        found["verdict"] = "too little"
    elif gain >= worth and low > 0:
        found["verdict"] = "better"
    else:
        found["verdict"] = "no difference"
    return found


def as_good(best, rows, samples, worth):
    """In which share of the resamples nothing else is better by what is worth
    having."""
    sums = {row["name"]: [sum(row["net_ns_by_stretch"][i] for i in sample)
                          for sample in samples] for row in rows}
    tops = [max(column) for column in zip(*sums.values())]
    return sum(top - mine <= worth for top, mine in
               zip(tops, sums[best["name"]])) / len(samples)


def apply_lines(name):
    """To set it now, and for each load to come."""
    have = knobs_of(name)
    shown = ["policy=" + have.pop("policy")]
    shown += ["%s=%s" % pair for pair in have.items()
              if pair[1] != DEFAULTS[pair[0]]]
    # In force may be anything: all that matter are named.
    everything = " ".join("%s=%s" % pair for pair in knobs_of(name).items())
    return ["newidle set " + everything,
            "echo 'options newidle %s' > %s" % (" ".join(shown), FILE)]


def short(name):
    return name[len("policy="):] if name.startswith("policy=") else name


def lines(result, found, base_words):
    yield "%d attempts, %d passes that pulled, on %d CPUs in %.1f s" % (
        result["events"], result["pulled_passes"], result["cpus"],
        result["duration_ns"] / 1e9)
    if found["verdict"] == "too little":
        yield "Too few pulls to say anything: %d, and at least %d are needed." % \
            (found["pulls"], PULLS)
        return
    yield "%s against %s (%s):" % (short(found["best"]), base_words,
                                   short(found["base"]))
    yield "  net gain %+.3f %% of the CPUs' time, %d %% interval %+.3f ... " \
        "%+.3f %%" % (found["gain_pct"], 100 * LEVEL, found["low_pct"],
                      found["high_pct"])
    if found["net_ns"] < 0:
        yield "  no policy wins anything here: attempts take more than pulls win"
    elif found["share_of_oracle"] is not None:
        yield "  %.0f %% of what an oracle would have won" % \
            (100 * found["share_of_oracle"])
    if result["cut_attempts"]:
        yield "  %d attempts took longer than %d us: what is above is left out" % (
            result["cut_attempts"], result["cost_limit_ns"] / 1000)
    if result["cost_pct"] != 100:
        yield "  attempts are taken to cost %d %% of that" % result["cost_pct"]
    if result["events"] > 50 * result["half_of_cost"]:
        yield "  half of the time was spent in %d attempts: if this is a virtual" \
            " machine,\n  its CPUs were taken away meanwhile, and this says " \
            "little (see --cost-limit)" % result["half_of_cost"]
    yield "  nothing else better by %g %% in %.0f %% of resamples" % (
        found["worth_pct"], 100 * found["sure"])
    if found["verdict"] == "no difference":
        yield "No difference worth having."
    else:
        yield "Recommended: %s.  Now, and whenever it is loaded:" % \
            short(found["best"])
        for line in apply_lines(found["best"]):
            yield "  " + line
    yield "This is a model's word (newidle replay states what it assumes): see " \
        "what your\nprogram says to it with newidle bench."


def from_file(path, options):
    if not os.path.exists(path):
        raise Failure(FAILED, path + ": No such file or directory")
    in_force = current() if options.command else None
    result = replayed(path, options, [in_force] if in_force else [])
    rows = {row["name"]: row for row in result["variants"]}
    native = [row for row in result["variants"] if row["native"]]
    if in_force:
        base, words = rows[in_force], "what is set"
    elif native:
        base, words = native[0], "what the kernel does"
    else:
        base, words = rows["policy=random,rate=1"], "what newidle begins with"
    found = judge(result, base, options.worth)
    found["lines"] = apply_lines(found["best"]) if found["verdict"] == "better" \
        else []
    if options.json:
        print(json.dumps(found))
    else:
        print(machine.printable("\n".join(lines(result, found, words))))
    return OK


def recommend(options):
    if bool(options.file) == bool(options.command):
        raise Failure(machine.WRONG_USE, "a recording, or -- and a command; "
                      "see newidle recommend --help")
    if options.file:
        return from_file(options.file, options)
    with tempfile.TemporaryDirectory() as folder:
        options.output = folder + "/recording"
        try:
            # Ours is for what is recommended.
            record.keep_recording(options, sys.stderr)
        except Interrupted as ended:
            return 128 + ended.number
        return from_file(options.output, options)
