# SPDX-License-Identifier: GPL-2.0-only
"""For replay.t and bed/learner.py: policies and the replay, in the plainest words.

Slow, and with nothing of module/ or scripts/replay/ in it: what both say must
be the same to the nanosecond.
"""

import copy

U64, UNIT = (1 << 64) - 1, 1024
STRETCHES, STAND_INS, CHOICES = 32, 16, 6
WIDTHS = {"SMT": 0, "CLS": 1, "CLUSTER": 1, "MC": 1, "DIE": 2, "PKG": 2,
          "NODE": 2}
LIMITS = {"smt": 0, "llc": 1, "node": 2, "all": 3}


class Dice:
    def __init__(self, seed):
        seed = (seed + 0x9e3779b97f4a7c15) & U64
        seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9 & U64
        seed = (seed ^ seed >> 27) * 0x94d049bb133111eb & U64
        self.s = seed ^ seed >> 31 or 1

    def draw(self):
        s = self.s
        s ^= s >> 12
        s = (s ^ s << 25) & U64
        self.s = s ^ s >> 27
        return (self.s * 0x2545f4914f6cdd1d & U64) >> 54


class Policy:
    """One domain of one CPU; decide() gives None for a skip, or a weight."""

    def __init__(self, knobs, place, now, dice):
        self.dice = dice
        self.name = knobs["policy"]
        self.rate = int(knobs.get("rate", 1))
        self.shift = int(knobs.get("rate_shift", 22))
        self.window = int(knobs.get("window", 1024))
        self.pct = int(knobs.get("value_cost_pct", 100))
        self.stamp, self.ratio = now, 512
        self.calls, self.success = self.window // 2, self.window // 4
        self.due = place * 633 % 1024
        self.credit = self.cost = self.skipped = self.patience = 0

    def decide(self):
        share = min(self.ratio + 2, UNIT)
        weight = (UNIT + (1 + self.ratio) // 2) // (1 + self.ratio)
        if self.name == "random":
            if self.ratio >= UNIT:
                return 1
            return weight if self.dice.draw() < share else None
        if self.name == "bresenham":
            self.due += share
            if self.due < UNIT:
                return None
            self.due -= UNIT
            return max(weight, 1)
        if self.name == "value" and not self.credit:
            self.skipped += 1
            if self.skipped < self.patience:
                return None
        self.skipped = 0
        return 1

    def book(self, tried, pulled, weight, cost, idle, now):
        if tried and not cost:
            return
        if self.name == "value":
            if tried:
                self.skipped = 0
                self.book_value(pulled, cost, idle)
            return
        self.calls += 1
        self.success += weight if pulled else 0
        if self.calls < self.window:
            return
        rate = 0
        if self.rate and now > self.stamp:
            rate = (now - self.stamp) * 1024 // self.window >> self.shift
        self.ratio = min(UNIT, self.success * 1024 // self.window + rate)
        self.stamp = now
        self.calls //= 2
        self.success //= 2

    def book_value(self, pulled, cost, idle):
        price = cost * self.pct
        if self.cost:
            self.cost = self.cost - self.cost // 8 + cost // 8
        else:
            self.cost, self.credit = cost, price * 256
        credit = self.credit + (idle * 100 if pulled else 0)
        self.credit = min(max(0, credit - price), self.cost * self.pct * 2048)
        self.patience = 64 >> (idle > 16 * cost) + (idle > 64 * cost)


def passes_of(events):
    """Lists of events."""
    found = []
    for event in events:
        if event.first:
            found.append([])
        found[-1].append(event)
    return found


def prepared(events, window, longest):
    """(events by depth, last event, what a pull wins, its number) for each
    pass, with the attempts that stand in for others."""
    passes = passes_of(events)
    depths = 1 + max(e.depth for e in events)

    def idles(some):
        return [min(p[-1].idle, longest) for p in some
                if not p[-1].pulled and p[-1].idle is not None]

    everywhere, recent, seen, turn, made = idles(passes), {}, {}, {}, []
    for n, one in enumerate(passes):
        here = n - n % window
        if n == here:
            near = idles(passes[here:here + window])
        at = {e.depth: e for e in one}
        for e in one:
            recent[e.depth] = recent.get(e.depth, [])[-STAND_INS + 1:] + [e]
            seen[e.depth] = seen.get(e.depth, 0) + 1
        won = None
        if one[-1].pulled:
            known = near or everywhere
            won = sum(known) // len(known) if known else \
                min(one[-1].avg_idle, longest)
            for d in range(one[-1].depth + 1, depths):
                if d in recent:
                    at[d] = ring(recent[d], seen[d], turn.setdefault(d, 0))
                    turn[d] += 1
        made.append((at, one[-1], won, n))
    return made


def ring(recent, seen, turn):
    """The place in a ring of 16 that the events are written around."""
    if seen <= STAND_INS:
        return recent[turn % len(recent)]
    place = turn % STAND_INS
    newest = (seen - 1) % STAND_INS
    return recent[-1 - (newest - place) % STAND_INS]


class Figures(dict):
    def __missing__(self, key):
        return 0


class Player:
    def __init__(self, cpu, names, policies, knobs, figures):
        self.width = {d: WIDTHS.get(name, 3) for (c, d), name in names.items()
                      if c == cpu}
        self.policies, self.knobs = policies, knobs
        self.figures = figures
        self.highest, self.net = {}, 0

    def attempt(self, d, one, weight, retry):
        at, last, won, _ = one
        e = at[d]
        idle = last.avg_idle
        if self.policies:
            self.policies[d].book(True, e.pulled, weight, e.cost, idle,
                                  last.time)
        cost, when = self.highest.get(d, (0, 0))
        if e.cost > cost:
            self.highest[d] = e.cost, last.time
        elif last.time > when + 10 ** 9:
            self.highest[d] = cost * 253 // 256, last.time
        kinds = ("retries", "retry_pulls") if retry else ("attempts", "pulls")
        self.figures[kinds[0]] += 1
        self.figures[kinds[1]] += e.pulled
        self.figures["cost_ns"] += e.cost
        self.figures["won_ns"] += won if e.pulled else 0
        self.net += (won if e.pulled else 0) - e.cost
        return e.pulled

    def ask(self, one):
        at, last, _, _ = one
        skipped, spent = [], 0
        for d in sorted(at):
            if self.width[d] > LIMITS[self.knobs.get("max_level", "all")]:
                self.figures["over_limit"] += 1
                continue
            self.figures["calls"] += 1
            weight = self.policies[d].decide()
            if weight is None:
                self.policies[d].book(False, False, 0, 0, 0, last.time)
                skipped.append(d)
                continue
            if self.attempt(d, one, weight, False):
                return
            spent += at[d].cost
        if skipped and self.knobs.get("retry") == "1":
            self.look_again(one, skipped, spent)

    def look_again(self, one, skipped, spent):
        idle = one[1].avg_idle
        left = idle - spent
        if left <= 0 or left * 100 < idle * int(
                self.knobs.get("retry_idle_pct", 50)):
            return
        for d in skipped:
            if self.width[d] > 1 or \
                    spent + self.highest.get(d, (0, 0))[0] >= left:
                continue
            if self.attempt(d, one, 1, True):
                return
            spent += one[0][d].cost

    def follow(self, one, mask):
        for d in sorted(one[0]):
            self.figures["calls"] += 1
            if mask >> min(d, CHOICES - 1) & 1 and \
                    self.attempt(d, one, 1, False):
                return


def best_masks(cpu, names, made, window, depths):
    masks = []
    for begin in range(0, len(made), window):
        best = 0, 0
        for mask in range(1 << min(depths, CHOICES)):
            y = Player(cpu, names, None, None, Figures())
            for one in made[begin:begin + window]:
                y.follow(one, mask)
            if y.net > best[0]:
                best = y.net, mask
        masks.append(best[1])
    return masks


def reckoned(event, limit, pct):
    """An attempt as it is taken to have been."""
    made = copy.copy(event)
    made.cost = min(min(event.cost, limit) * pct // 100, 2 ** 32 - 1)
    return made


def replay(by_cpu, names, words, window=1024, longest=1000000, seed=0,
           cost_limit=2 ** 32 - 1, cost_pct=100):
    """Figures of a variant, or of the oracle if words is None."""
    knobs = dict(w.split("=") for w in words.split(",")) if words else None
    begin = min(some[0].time for some in by_cpu.values())
    end = max(some[-1].time for some in by_cpu.values())
    stretch = (end - begin) // STRETCHES + 1
    total, net = Figures(), [0] * STRETCHES
    for cpu, some in by_cpu.items():
        some = [reckoned(e, cost_limit, cost_pct) for e in some]
        made = prepared(some, window, longest)
        depths, dice = 1 + max(e.depth for e in some), Dice(seed + cpu)
        policies = knobs and [Policy(knobs, cpu + 61 * depth, some[0].time, dice)
                              for depth in range(depths)]
        y = Player(cpu, names, policies, knobs, total)
        masks = None if knobs else best_masks(cpu, names, made, window,
                                              depths)
        for one in made:
            before = y.net
            if knobs:
                y.ask(one)
            else:
                y.follow(one, masks[one[3] // window])
            net[(one[1].time - begin) // stretch] += y.net - before
    total["net_ns"] = total["won_ns"] - total["cost_ns"]
    total["net_ns_by_stretch"] = net
    return total
