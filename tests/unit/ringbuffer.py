# SPDX-License-Identifier: GPL-2.0-only
"""For collect.t and record.t: a made-up instance of tracefs, with events."""

import os
import struct

DECIDE, DONE, SWITCH, OTHER = 1871, 1870, 316, 7
PAGE = 4096

HEADER = """\
\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
"""
COMMON = [("unsigned short common_type", 0, 2),
          ("unsigned char common_flags", 2, 1),
          ("unsigned char common_preempt_count", 3, 1),
          ("int common_pid", 4, 4)]
FIELDS = {
    "newidle/newidle_decide": (DECIDE, [
        ("u64 avg_idle", 8, 8), ("int cpu", 16, 4), ("int depth", 20, 4),
        ("unsigned int ratio", 24, 4), ("bool tried", 28, 1),
        ("unsigned char reason", 29, 1), ("char level[8]", 30, 8)]),
    "newidle/newidle_done": (DONE, [
        ("u64 cost_ns", 8, 8), ("int cpu", 16, 4), ("int depth", 20, 4),
        ("bool pulled", 24, 1), ("bool retry", 25, 1),
        ("char level[8]", 26, 8)]),
    "sched/sched_switch": (SWITCH, [
        ("char prev_comm[16]", 8, 16), ("pid_t prev_pid", 24, 4),
        ("int prev_prio", 28, 4), ("long prev_state", 32, 8),
        ("char next_comm[16]", 40, 16), ("pid_t next_pid", 56, 4),
        ("int next_prio", 60, 4)]),
}


def format_of(event):
    number, fields = FIELDS[event]
    lines = ["name: %s" % event.partition("/")[2], "ID: %d" % number, "format:"]
    for n, (words, offset, size) in enumerate(COMMON + fields):
        lines += [""] * (n == len(COMMON))
        lines.append("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:0;" %
                     (words, offset, size))
    return "\n".join(lines + ["", "print fmt: \"field: cpu=%d\", REC->cpu", ""])


def common(kind, pid):
    return struct.pack("<HBBi", kind, 1, 0, pid)


def decide(depth, avg_idle, level=b"MC", is_try=True, reason=0, pid=50):
    return common(DECIDE, pid) + struct.pack(
        "<QiiIBB8s", avg_idle, 0, depth, 512, is_try, reason, level)


def done(depth, cost, pulled=False, retry=False, pid=50):
    return common(DONE, pid) + struct.pack("<QiiBB8s", cost, 0, depth, pulled,
                                           retry, b"MC")


def switch(before, after):
    return common(SWITCH, before) + struct.pack(
        "<16sii q16sii", b"a task", before, 120, 1, b"another", after, 120)


def packed(delta, data, long_way=False):
    """An event of the buffer; the long way has its length in a word."""
    data += b"\0" * (-len(data) % 4)
    if long_way or len(data) > 28 * 4:
        return struct.pack("<II", delta << 5, len(data) + 4) + data
    return struct.pack("<I", delta << 5 | len(data) // 4) + data


def extended(delta):
    return struct.pack("<II", (delta & (1 << 27) - 1) << 5 | 30, delta >> 27)


def absolute(time):
    return struct.pack("<II", (time & (1 << 27) - 1) << 5 | 31,
                       time >> 27 & 0xffffffff)


def dropped(length, delta=1):
    return struct.pack("<II", delta << 5 | 29, length) + b"\xee" * (length - 4)


def page(time, data, missed=False):
    assert len(data) <= PAGE - 16
    return struct.pack("<QQ", time, len(data) | missed << 31) + data + \
        b"\0" * (PAGE - 16 - len(data))


def pages(events, size=4000):
    """events: (time, data); as full pages."""
    made, data, start, before = [], b"", None, None
    for time, one in events:
        if data and len(data) + len(one) + 16 > size:
            made.append(page(start, data))
            data = b""
        if not data:
            start = before = time
        if time - before >= 1 << 27:
            data += extended(time - before)
            before = time
        data += packed(time - before, one)
        before = time
    return b"".join(made + ([page(start, data)] if data else []))


class Instance:
    """Its files in a folder; what is in its CPUs' buffers."""

    def __init__(self, folder, *buffers, overrun=0):
        self.folder = folder
        self.put("events/header_page", HEADER)
        for name in ("tracing_on", "buffer_size_kb"):
            self.put(name, "0")
        for event, (number, _) in FIELDS.items():
            self.put("events/%s/id" % event, "%d\n" % number)
            self.put("events/%s/format" % event, format_of(event))
            self.put("events/%s/enable" % event, "0")
            self.put("events/%s/filter" % event, "none")
        for cpu, data in enumerate(buffers):
            self.put("per_cpu/cpu%d/trace_pipe_raw" % cpu, data)
            self.put("per_cpu/cpu%d/stats" % cpu, "entries: 9\noverrun: %d\n"
                     "commit overrun: 0\nbytes: 7\nnow ts:  5.1\n"
                     "dropped events: %d\nread events: 0\n" % (overrun, cpu))

    def put(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())

    def get(self, name):
        with open(os.path.join(self.folder, name), encoding="ascii") as f:
            return f.read()
