# SPDX-License-Identifier: GPL-2.0-only
"""What a kernel image says of itself.

vmlinux.py symvers VMLINUZ      its Module.symvers, without the modules' part
vmlinux.py btf VMLINUZ          its types, as they are in /sys/kernel/btf/vmlinux

Output is written to standard output.
"""

import struct
import subprocess
import sys

MAGICS = ((b"\x28\xb5\x2f\xfd", ("zstd", "-dcq")),
          (b"\xfd7zXZ\0", ("xz", "-dcq", "--single-stream")),
          (b"\x1f\x8b", ("gzip", "-dcq")))


def unpack(path):
    """The vmlinux in a bzImage; where it is says the boot protocol."""
    with open(path, "rb") as f:
        data = f.read()
    if data[0x202:0x206] < b"\x08\x02" and data[0x202:0x206] != b"HdrS":
        raise ValueError("%s is no bzImage" % path)
    sectors = data[0x1f1] or 4
    offset, length = struct.unpack_from("<II", data, 0x248)
    start = (sectors + 1) * 512 + offset
    payload = data[start:start + length]
    for magic, command in MAGICS:
        if payload.startswith(magic):
            # Its size follows, of which the program may complain.
            return subprocess.run(command, input=payload, check=False,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL).stdout
    raise ValueError("%s: packed in an unknown way" % path)


class Elf:
    """Sections of a 64-bit little-endian object, by name."""

    def __init__(self, data):
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("no 64-bit ELF file")
        self.data = data
        at, = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3a)
        heads = [struct.unpack_from("<IIQQQQII", data, at + i * size)
                 for i in range(count)]
        strings = heads[names][4]
        self.heads = {self.text(strings + h[0]): h for h in heads}

    def text(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode()

    def section(self, name):
        """Its address and content, or None."""
        if name not in self.heads:
            return None
        head = self.heads[name]
        return head[3], self.data[head[4]:head[4] + head[5]]


def exports(elf):
    """Lines of Module.symvers.  An entry is three offsets, each relative to
    itself: value, name, namespace."""
    strings, names = elf.section("__ksymtab_strings")

    def name_at(address, offset):
        # 0 is how assembly says that there is no namespace.
        start = address + offset - strings
        return names[start:names.index(b"\0", start)].decode() if offset else ""

    for suffix in ("", "_gpl"):
        table = elf.section("__ksymtab" + suffix)
        if not table:
            continue
        address, entries = table
        # Up to 6.17, with CONFIG_MODVERSIONS.
        sums = elf.section("__kcrctab" + suffix)
        # From 7.1 there is one table, and this says whose is GPL-only.
        flags = elf.section("__kflagstab")
        for n in range(len(entries) // 12):
            _, name, space = struct.unpack_from("<iii", entries, n * 12)
            at = address + n * 12
            gpl = flags[1][n] & 1 if flags else bool(suffix)
            crc = struct.unpack_from("<I", sums[1], n * 4)[0] if sums else 0
            yield "0x%08x\t%s\tvmlinux\tEXPORT_SYMBOL%s\t%s\n" % (
                crc, name_at(at + 4, name), "_GPL" if gpl else "",
                name_at(at + 8, space))


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("symvers", "btf"):
        sys.exit(__doc__)
    elf = Elf(unpack(sys.argv[2]))
    if sys.argv[1] == "symvers":
        sys.stdout.writelines(exports(elf))
    else:
        sys.stdout.buffer.write(elf.section(".BTF")[1])


if __name__ == "__main__":
    main()
