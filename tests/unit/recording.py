# SPDX-License-Identifier: GPL-2.0-only
"""For replay.t and others: recordings as docs/recording.md has them."""

import random
import struct
import zlib

PULLED, FIRST, IDLED = 0x10, 0x20, 0x40
HEAD = "kernel 6.12.74-amd64\ncpu Made Up 9000\nnative random\n" \
       "topology 1 sockets, 2 caches\n"


def number(value):
    data = b""
    while value >= 0x80:
        data += bytes([value & 0x7f | 0x80])
        value >>= 7
    return data + bytes([value])


class Event:
    """An attempt; idle is None where it is not known."""

    def __init__(self, time, depth, cost, pulled=False, first=False,
                 avg_idle=100000, idle=None):
        self.time, self.depth, self.cost = time, depth, cost
        self.pulled, self.first = pulled, first
        self.avg_idle, self.idle = avg_idle, idle

    def pack(self, before):
        flags = PULLED * self.pulled | FIRST * self.first | \
            IDLED * (self.idle is not None)
        return bytes([self.depth | flags]) + number(self.time - before) + \
            number(self.cost) + number(self.avg_idle) + \
            (b"" if self.idle is None else number(self.idle))


def block(kind, payload):
    return kind + struct.pack("<II", len(payload), zlib.crc32(payload)) + \
        payload


def events(cpu, some):
    data, before = b"", some[0].time if some else 0
    start = before
    for event in some:
        data += event.pack(before)
        before = event.time
    return block(b"EVTS", struct.pack("<IIQ", cpu, len(some), start) + data)


def begin(order=0x01020304, version=1):
    return b"newidle\n" + struct.pack("<II", order, version)


def tail(names, lost=0):
    """names: a level's name by (CPU, depth)."""
    lines = ["lost %d" % lost]
    lines += ["level %d %d %s" % (cpu, depth, name)
              for (cpu, depth), name in sorted(names.items())]
    return block(b"TAIL", ("\n".join(lines) + "\n").encode())


def whole(by_cpu, names=None, head=HEAD, size=100):
    """A file of events by CPU, in blocks of some passes."""
    data = begin() + block(b"HEAD", head.encode())
    for cpu, some in by_cpu.items():
        start = 0
        for n in range(1, len(some) + 1):
            if n == len(some) or (some[n].first and n - start >= size):
                data += events(cpu, some[start:n])
                start = n
    if names is None:
        names = {(cpu, e.depth): ("SMT", "MC", "PKG", "NUMA")[min(e.depth, 3)]
                 for cpu, some in by_cpu.items() for e in some}
    return data + tail(names)


def load(seed, passes, levels, rate=5000, idle=50000, begin_at=10 ** 12):
    """Events of one CPU.  levels: (success rate, cost) of each depth."""
    dice, now, made = random.Random(seed), begin_at, []
    for _ in range(passes):
        now += int(dice.expovariate(rate) * 1e9)
        first = True
        stays = int(dice.expovariate(1 / idle))
        for depth, (success, cost) in enumerate(levels):
            took = max(1, int(dice.gauss(cost, cost / 5)))
            now += took
            pulled = dice.random() < success
            made.append(Event(now, depth, took, pulled, first,
                              min(1000000, int(dice.uniform(.5, 2) * idle))))
            first = False
            if pulled:
                break
            # Sometimes a walk ends early, or nobody saw how long it idled.
            if dice.random() < 0.05:
                break
        if not made[-1].pulled and dice.random() < 0.97:
            made[-1].idle = stays
            now += stays
    return made


def read(data):
    """(head, events by CPU, tail) of a good file; texts as dicts of lists."""
    order, version = struct.unpack_from("<II", data, 8)
    assert (data[:8], order, version) == (b"newidle\n", 0x01020304, 1)
    at, texts, by_cpu = 16, {}, {}
    while at < len(data):
        size, crc = struct.unpack_from("<II", data, at + 4)
        kind, payload = data[at:at + 4], data[at + 12:at + 12 + size]
        assert len(payload) == size and zlib.crc32(payload) == crc
        at += 12 + size
        if kind == b"EVTS":
            cpu, some = read_events(payload)
            by_cpu.setdefault(cpu, []).extend(some)
            continue
        text = texts.setdefault(kind.decode(), {})
        for line in payload.decode().splitlines():
            key, _, value = line.partition(" ")
            text.setdefault(key, []).append(value)
    assert list(texts) == ["HEAD", "TAIL"]
    return texts["HEAD"], by_cpu, texts["TAIL"]


def read_events(payload):
    cpu, count, time = struct.unpack_from("<IIQ", payload)
    rest, some = iter(payload[16:]), []

    def take():
        value = shift = 0
        for byte in rest:
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value
        raise AssertionError("cut off")

    for _ in range(count):
        flags = next(rest)
        time += take()
        cost, avg_idle = take(), take()
        some.append(Event(time, flags & 15, cost, bool(flags & PULLED),
                          bool(flags & FIRST), avg_idle,
                          take() if flags & IDLED else None))
    assert not list(rest)
    return cpu, some
