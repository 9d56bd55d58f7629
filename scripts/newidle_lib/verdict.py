# SPDX-License-Identifier: GPL-2.0-only
"""Is a variant better than another, or is it chance?

A difference is called one only if its interval does not hold 0 and it is greater
than any that the interval of two equal arms of the same session still holds: what
a machine does to equal runs no variant is blamed or praised for.  The level of
the intervals is raised with the number of variants, so that 5 in 100 sessions
without any difference may tell of one, not 5 in 100 comparisons.
"""

import math

from . import stats

ERRORS = 0.05
# Passes that the kernel's cost test kept from asking.
KEPT_AWAY = 0.5
AGAIN = " (again)"


def level_for(comparisons):
    return 1 - ERRORS / max(1, comparisons)


def percent(log_ratio):
    return None if log_ratio is None else 100 * math.expm1(log_ratio)


def logs(runs):
    """By arm, (block, logarithm): differences are shares."""
    found = {}
    for run in runs:
        if run["figure"] is not None:
            found.setdefault(run["arm"], []).append(
                (run["block"], math.log(run["figure"])))
    return found


def compare(cleaned, base, arm, level):
    change, low, high = stats.shift(cleaned[base], cleaned[arm], level)
    return {"arm": arm, "change": change, "low": low, "high": high}


def word(pair, spread, better):
    """spread: what two equal arms may differ by, None if that is not known."""
    if pair["low"] is None or spread is None:
        return "too few runs"
    if pair["low"] <= 0 <= pair["high"] or abs(pair["change"]) <= spread:
        return "no difference"
    return "better" if (pair["change"] > 0) == (better == "higher") else "worse"


def of_equals(pair):
    if pair["low"] is None:
        return "too few runs"
    return "as it should be" if pair["low"] <= 0 <= pair["high"] else "unsteady"


def kept_away(runs, arm):
    shares = [run["kept_away"] for run in runs
              if run["arm"] == arm and run.get("kept_away") is not None]
    return stats.median(shares) if shares else None


def judge(runs, arms, better):
    """A dict for each arm but the first, which they are compared with.

    The second arm is the first one again.
    """
    samples = logs(runs)
    if any(len(samples.get(arm, ())) < 2 for arm in arms):
        return []
    cleaned = stats.without_blocks({arm: samples[arm] for arm in arms})
    if not all(cleaned.values()):
        return []
    base, again, *others = arms
    level = level_for(len(others))
    same = compare(cleaned, base, again, level)
    spread = None if same["low"] is None else \
        max(abs(same["low"]), abs(same["high"]))
    found = [dict(same, verdict=of_equals(same), spread=spread)]
    for arm in others:
        pair = compare(cleaned, base, arm, level)
        pair["verdict"] = word(pair, spread, better)
        away = [kept_away(runs, a) for a in (base, arm)]
        pair["kept_away"] = away[1]
        if max((a for a in away if a is not None), default=0) > KEPT_AWAY:
            pair["verdict"] = "no verdict"
        found.append(pair)
    for pair in found:
        pair["level"] = level
        for name in ("change", "low", "high"):
            pair[name + "_pct"] = percent(pair.pop(name))
        if "spread" in pair:
            pair["spread_pct"] = percent(pair.pop("spread"))
    return found
