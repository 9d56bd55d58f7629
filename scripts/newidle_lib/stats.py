# SPDX-License-Identifier: GPL-2.0-only
"""Which differences are differences: small samples, no assumption of a shape.

Runs are compared by ranks (Hodges and Lehmann): the shift between two samples is
the median of all differences of their pairs, its interval is between those
differences that the rank-sum test (Mann and Whitney) at this level just keeps.
Exact for samples without ties; with ties it errs on the side of no difference.
"""

import functools
import math
import random


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


@functools.lru_cache(maxsize=None)
def rank_sums(m, n):
    """How many of the orders of m and n runs have each value of the statistic U:
    the pairs in which the first is the smaller one."""
    # Counts of bounded partitions: a run of the first kind, or one of the
    # second, is the last.
    if m == 0 or n == 0:
        return (1, )
    counts = [0] * (m * n + 1)
    for u, ways in enumerate(rank_sums(m - 1, n)):
        counts[u + n] += ways
    for u, ways in enumerate(rank_sums(m, n - 1)):
        counts[u] += ways
    return tuple(counts)


def kept(m, n, level):
    """How many of the m * n ordered differences are cut off at each end; None if
    the samples are too small for an interval of this level."""
    whole = math.comb(m + n, m)
    below = 0
    for u, ways in enumerate(rank_sums(m, n)):
        below += ways
        if below > (1 - level) / 2 * whole:
            return u - 1 if u else None
    return None


def shift(first, second, level=0.95):
    """(how much the second sample is above the first, lower and upper end of
    the interval); the ends are None where there are too few runs."""
    differences = sorted(b - a for a in first for b in second)
    cut = kept(len(first), len(second), level)
    if cut is None:
        return median(differences), None, None
    return median(differences), differences[cut], differences[-1 - cut]


def without_blocks(samples):
    """Samples with what the runs of a block have in common taken out.

    samples: for each arm pairs of block and value.  A block that is not whole
    is left out.
    """
    arms = list(samples)
    per_block = {}
    for arm in arms:
        for block, value in samples[arm]:
            per_block.setdefault(block, []).append((arm, value))
    most = max(map(len, per_block.values()), default=0)
    cleaned = {arm: [] for arm in arms}
    for pairs in per_block.values():
        if len(pairs) < most:
            continue
        # One run that was disturbed must not move the others.
        middle = median(value for _, value in pairs)
        for arm, value in pairs:
            cleaned[arm].append(value - middle)
    return cleaned


def quantile(ordered, share):
    """Of values in order, between them if need be."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def resampled(count, times, seed=1):
    """Index lists of a bootstrap."""
    dice = random.Random(seed)
    return [dice.choices(range(count), k=count) for _ in range(times)]
