# SPDX-License-Identifier: GPL-2.0-only
"""Compare layouts in two sets of BTF.

btf.py compare OURS IMAGES      every struct, union and enum that both have
btf.py init MODULE.ko IMAGES    does the kernel find the module's init function?

Status 1, and the differences, if there are any.  A name may have several
layouts in one kernel, in different files of it; ours must be one of them.
"""

import struct
import sys

sys.dont_write_bytecode = True
import vmlinux

(INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT,
 FUNC, PROTO, VAR, DATASEC, FLOAT, DECL_TAG, TYPE_TAG, ENUM64) = range(1, 20)
ALIASES = (TYPEDEF, VOLATILE, CONST, RESTRICT, TYPE_TAG)
# Bytes that follow an entry, and those that follow for each of its members.
EXTRA = {INT: (4, 0), ARRAY: (12, 0), STRUCT: (0, 12), UNION: (0, 12),
         ENUM: (0, 8), PROTO: (0, 8), VAR: (4, 0), DATASEC: (0, 12),
         DECL_TAG: (4, 0), ENUM64: (0, 12)}

# Headers that mean to look different to a module.
MODULES_OWN = (("enum of", "PROC_ENTRY_PERMANENT"), )


class Btf:
    """Types by number; what a type looks like, by its name."""

    def __init__(self, data):
        magic, _, _, head, types, length, strings, _ = \
            struct.unpack_from("<HBBIIIII", data, 0)
        if magic != 0xeb9f:
            raise ValueError("no BTF")
        self.data = data
        self.strings = head + strings
        self.types = [None]
        self.known = {}
        at = head + types
        while at < head + types + length:
            name, info, size = struct.unpack_from("<III", data, at)
            kind, count = info >> 24 & 31, info & 0xffff
            self.types.append((kind, name, size, info >> 31, at + 12, count))
            fixed, each = EXTRA.get(kind, (0, 0))
            at += 12 + fixed + each * count

    def text(self, offset):
        start = self.strings + offset
        return self.data[start:self.data.index(b"\0", start)].decode()

    def plain(self, number):
        """Without names and qualifiers that change no layout."""
        while number and self.types[number][0] in ALIASES:
            number = self.types[number][2]
        return number

    def brief(self, number):
        """What a member's type is, in words; another's layout is its affair."""
        number = self.plain(number)
        if not number:
            return "void"
        if number in self.known:
            return self.known[number]
        kind, name, size, flag, at, count = self.types[number]
        if kind == PTR:
            target = self.plain(size)
            what = self.types[target][0] if target else 0
            if what in (STRUCT, UNION, ENUM, ENUM64) and \
                    not self.types[target][1]:
                words = "pointer to something without a name"
            elif what == PTR:
                words = "pointer to pointer"
            elif what == ARRAY:
                words = "pointer to array"
            else:
                words = "pointer to " + self.brief(target)
        elif kind == ARRAY:
            of, _, n = struct.unpack_from("<III", self.data, at)
            words = "%d of %s" % (n, self.brief(of))
        elif kind == PROTO:
            words = "function"
        elif kind == FWD:
            words = "%s %s" % ("union" if flag else "struct", self.text(name))
        elif kind in (STRUCT, UNION, ENUM, ENUM64):
            words = {STRUCT: "struct", UNION: "union"}.get(kind, "enum")
            words += " " + self.text(name) if name else \
                " {%s}" % "; ".join(self.layout(number))
        else:
            words = "%s of %d" % (self.text(name), size)
        self.known[number] = words
        return words

    def layout(self, number):
        """A tuple of lines; equal ones are for equal types."""
        kind, _, size, flag, at, count = self.types[number]
        lines = ["size %d" % size]
        for n in range(count):
            if kind == ENUM:
                name, value = struct.unpack_from("<Ii", self.data, at + n * 8)
                lines.append("%s = %d" % (self.text(name), value & 0xffffffff))
            elif kind == ENUM64:
                name, low, high = \
                    struct.unpack_from("<III", self.data, at + n * 12)
                lines.append("%s = %d" % (self.text(name), high << 32 | low))
            else:
                name, of, offset = \
                    struct.unpack_from("<III", self.data, at + n * 12)
                bits = offset >> 24 if flag else 0
                offset = offset & 0xffffff if flag else offset
                lines.append("%s at %d%s%s: %s" % (
                    self.text(name) or "(no name)", offset // 8,
                    ".%d" % (offset % 8) if offset % 8 else "",
                    ", %d bits" % bits if bits else "", self.brief(of)))
        return tuple(lines)

    def key(self, number):
        """Kind and name; an enum without a name goes by its first word."""
        kind, name, _, _, at, count = self.types[number]
        if kind in (STRUCT, UNION):
            return ("struct" if kind == STRUCT else "union", self.text(name)) \
                if name and count else None
        if kind in (ENUM, ENUM64) and count:
            if name:
                return "enum", self.text(name)
            first, = struct.unpack_from("<I", self.data, at)
            return "enum of", self.text(first)
        return None

    def named(self, only=None):
        """Layouts by kind and name."""
        found = {}
        for number in range(1, len(self.types)):
            key = self.key(number)
            if key and (only is None or key in only):
                found.setdefault(key, set()).add(self.layout(number))
        return found


def compare(ours, images):
    """Differences, as lines, and the number of layouts compared."""
    mine = {key: layouts for key, layouts in ours.named().items()
            if key not in MODULES_OWN}
    theirs = images.named(mine)
    lines = []
    for key in sorted(theirs):
        for layout in sorted(mine[key] - theirs[key]):
            other = min(theirs[key], key=lambda o: len(set(o) ^ set(layout)))
            lines.append("%s %s" % key)
            lines += ["  the image: " + l for l in other if l not in layout]
            lines += ["  the tree:  " + l for l in layout if l not in other]
            if set(layout) == set(other):
                lines.append("  the same members in another order")
    return lines, len(theirs)


def init_offset(images):
    """Where struct module holds the pointer to the init function."""
    for layout in images.named({("struct", "module")})["struct", "module"]:
        for line in layout:
            if line.startswith("init at "):
                return int(line.split()[2].rstrip(":"))
    raise ValueError("struct module has no init")


def init_offset_of(path):
    """Where the module's build has put it: the relocation of init_module."""
    with open(path, "rb") as f:
        elf = vmlinux.Elf(f.read())
    symbols = elf.section(".symtab")[1]
    names = elf.section(".strtab")[1]
    found = []
    relocations = elf.section(".rela.gnu.linkonce.this_module")[1]
    for offset, info, _ in struct.iter_unpack("<QQq", relocations):
        name, = struct.unpack_from("<I", symbols, (info >> 32) * 24)
        if names[name:names.index(b"\0", name)] == b"init_module":
            found.append(offset)
    return found


def read(path):
    with open(path, "rb") as f:
        return Btf(f.read())


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("compare", "init"):
        sys.exit(__doc__)
    images = read(sys.argv[3])
    if sys.argv[1] == "init":
        want, have = init_offset(images), init_offset_of(sys.argv[2])
        print("module.init: %d in the image, %s in the module" % (want, have))
        sys.exit(have != [want])
    lines, n = compare(read(sys.argv[2]), images)
    print("\n".join(lines[:200] + ["%d layouts compared, %d lines of differences"
                                   % (n, len(lines))]))
    sys.exit(1 if lines or not n else 0)


if __name__ == "__main__":
    main()
