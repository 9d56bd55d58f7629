# SPDX-License-Identifier: GPL-2.0-only
"""What one plain rule wins on a recording if it sees more than any policy.

A learner is told each outcome, also of what it did not try, and what the pull wins,
which is reckoned by its window as in newidle replay.  On each CPU and level it tries as
long as the last attempts, recorded or standing in, have won what they cost.  Nothing of
the policies and of newidle replay is used, but the model that replay is tested against.
"""

import collections
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE) + "/unit")
import recording
import replay_model

# So many attempts back what there was counts 1/e.
FOR_EVER = 1 << 40
MEMORIES = (64, 128, 256, 512, 1024, 2048, 4096, FOR_EVER)


class Domain:
    """Of one CPU: what was won and spent, the older the less."""

    def __init__(self, memory):
        self.keeps = 1 - 1 / memory
        self.won = self.spent = 0.0

    def pays(self):
        return self.won >= self.spent

    def learn(self, won, cost):
        self.won = self.won * self.keeps + won
        self.spent = self.spent * self.keeps + cost


def net_of(made, memory):
    """Of one CPU's passes, ns; made: see replay_model.prepared()."""
    domains, net = collections.defaultdict(lambda: Domain(memory)), 0
    for at, _, won, _ in made:
        over = False
        for depth in sorted(at):
            event = at[depth]
            domain = domains[depth]
            worth = won if event.pulled else 0
            if domain.pays() and not over:
                net += worth - event.cost
                over = event.pulled
            domain.learn(worth, event.cost)
    return net


def learn(path, window, longest, cost_limit, cost_pct):
    """{memory: net gain, ns}; times in ns."""
    with open(path, "rb") as f:
        _, by_cpu, _ = recording.read(f.read())
    each = [replay_model.prepared(
        [replay_model.reckoned(event, cost_limit, cost_pct) for event in some],
        window, longest) for some in by_cpu.values()]
    return {memory: sum(net_of(made, memory) for made in each)
            for memory in MEMORIES}
