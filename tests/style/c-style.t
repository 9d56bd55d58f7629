#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""C files follow the kernel's coding style.

clang-format says how it would write a file (.clang-format holds the kernel's
rules); what it can't know is forgiven: columns lined up by hand, the layout of
macros, and lines continued right behind their open bracket.  A few rules that
it does not look at are checked here, and kernel-doc comments by the kernel's
own script, which comes with the headers.
"""

import difflib
import glob
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
from tap import ROOT, Tap, read, run, tree_files

LONGEST = 100

# What must be noticed, and as what.
BAD = (
    ("format", "int f(int a)\n{\n        return a;\n}\n"),
    ("format", "int f(int a)\n{\n\tif(a)\n\t\treturn 1;\n\treturn 0;\n}\n"),
    ("format", "int f(int a) {\n\treturn a;\n}\n"),
    ("format", "int *f(int* a)\n{\n\treturn a;\n}\n"),
    ("format", "int f(int a)\n{\n\treturn a+1;\n}\n"),
    ("format", "int f(int a)\n{\n\tif (a) return 1;\n\treturn 0;\n}\n"),
    ("format", "int f(int a,\n\tint b)\n{\n\treturn a + b;\n}\n"),
    ("format", "int f(int a)\n{\n\tif (a)\n\t{\n\t\ta++;\n\t}\n\treturn a;\n}\n"),
    ("format", "int a;\n\n\nint b;\n"),
    ("format", "int f(int a)\n{\n\tswitch (a) {\n\tcase 1: return 2;\n\t}\n"
               "\treturn a ? 1 : 2;\n}\n"),
    ("line of", "int a; /* %s */\n" % ("x" * LONGEST)),
    ("comment", "int a; // why\n"),
    ("braces", "int f(int a)\n{\n\tif (a) {\n\t\ta++;\n\t\ta++;\n\t} else\n"
               "\t\ta--;\n\treturn a;\n}\n"),
    ("braces", "int f(int a)\n{\n\tif (a)\n\t\ta++;\n\telse {\n\t\ta--;\n"
               "\t\ta--;\n\t}\n\treturn a;\n}\n"),
    ("parentheses", "int f(int a)\n{\n\treturn (a);\n}\n"),
)
BAD_DOC = "/**\n * f() - twice\n * @b: not there\n */\nint f(int a)\n{\n" \
          "\treturn 2 * a;\n}\n"


def columns(text):
    return len(text.expandtabs(8))


def bare(line):
    """A line without its indentation, and with single blanks."""
    return re.sub(r"\s+", " ", line.rstrip("\\ \t")).strip()


def indent(line):
    return line[:len(line) - len(line.lstrip())]


def macro_lines(lines):
    """Numbers of the lines that belong to #define."""
    inside, found = False, set()
    for n, line in enumerate(lines):
        if inside or re.match(r"\s*#\s*define\b", line):
            found.add(n)
            inside = line.endswith("\\")
    return found


def behind_bracket(lines, n):
    """Does line n begin in the column behind the innermost open bracket?"""
    open_at = []
    start = n
    while start > 0 and not re.search(r"[;{}:]\s*$|^$|^#", lines[start - 1]):
        start -= 1
    for line in lines[start:n]:
        text = re.sub(r'"(\\.|[^"\\])*"', lambda m: "x" * len(m.group()),
                      line.expandtabs(8))
        for column, c in enumerate(text):
            if c in "([":
                open_at.append(column + 1)
            elif c in ")]" and open_at:
                open_at.pop()
    return bool(open_at) and columns(indent(lines[n])) == open_at[-1]


def tidy_indent(line):
    """Tabs first, then fewer than 8 blanks."""
    return re.match(r"\t* {0,7}(\S|$)", line)


def forgiven(lines, n, wanted):
    """May line n stay, although clang-format wants another one there?"""
    if bare(lines[n]) != bare(wanted):
        return False
    if indent(lines[n]) == indent(wanted):
        return True
    return tidy_indent(lines[n]) and behind_bracket(lines, n)


def own_line_breaks(have, want):
    """"c ? a : b" may break in other places, a table may end in "}, {}", and
    attributes may have a line to themselves."""
    have, want = " ".join(have), " ".join(want)
    return bare(have).replace(" ", "") == bare(want).replace(" ", "") and \
        re.search(r"^(?!\s*(case|default)\b).* [?:]( |$)|"
                  r"^\s*\}, \{ ?\},?$|^__\w+(\(|$)", have)


def formatting(path, root):
    status, out = run("clang-format", "--style=file", "--fallback-style=none",
                      path, cwd=root)
    if status:
        return [path + ": clang-format: " + out]
    have, want = read(path, root).splitlines(), out.splitlines()
    macros = macro_lines(have)
    found = []
    matcher = difflib.SequenceMatcher(None, have, want, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        lines = set(range(a, b))
        if tag == "equal" or (lines and lines <= macros):
            continue
        if b - a == d - c:
            found += ["%s:%d: format: %s" % (path, n + 1, have[n].strip())
                      for n in range(a, b) if n not in macros and
                      not forgiven(have, n, want[c + n - a])]
        elif not own_line_breaks(have[a:b], want[c:d]):
            found.append("%s:%d: format: %d lines instead of %d" %
                         (path, a + 1, b - a, d - c))
    return found


def other_rules(path, root):
    found = []

    def complain(what):
        found.append("%s:%d: %s" % (path, n, what))

    previous = ""
    for n, line in enumerate(read(path, root).splitlines(), 1):
        code = re.sub(r'"(\\.|[^"\\])*"', '""', line)
        if columns(line) > LONGEST and '"' not in line:
            complain("line of %d columns" % columns(line))
        if n > 1 and re.search(r"(?<!:)//", code):
            complain("comment with //")
        if re.match(r"\s*\} else( if .*[^{])?$", code):
            complain("braces on one branch only")
        if re.match(r"\s*else( if .*)? \{$", code) and "}" not in previous:
            complain("braces on one branch only")
        if re.match(r"\s*return \([^()]*\);", code):
            complain("parentheses around a value returned")
        previous = code
    return found


def kernel_doc():
    scripts = sorted(glob.glob("/usr/lib/linux-kbuild-*/scripts/kernel-doc"))
    return scripts[-1] if scripts else None


def doc_comments(paths, root):
    if not kernel_doc():
        return ["no kernel-doc script under /usr/lib/linux-kbuild-*"]
    status, out = run(kernel_doc(), "-none", "-Wall", *paths, cwd=root)
    return out.splitlines() or (["kernel-doc gave %d" % status] if status
                                else [])


def check(path, root=ROOT):
    return formatting(path, root) + other_rules(path, root)


def main():
    tap = Tap()
    paths = [p for p in tree_files() if p.endswith((".c", ".h"))]
    tap.result(len(paths) > 10, "found %d C files" % len(paths))
    for path in paths:
        tap.clean(check(path), path)
    tap.clean(doc_comments([p for p in paths if p.startswith("module/")], ROOT),
              "kernel-doc comments of the module")

    with tempfile.TemporaryDirectory() as folder:
        def put(name, text):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)

        put(".clang-format", read(".clang-format"))
        for what, text in BAD:
            put("bad.c", "// first\n" + text)
            found = check("bad.c", folder)
            tap.result(len(found) >= 1 and all(what in f for f in found),
                       "notices %s: %r" % (what, text[:60]), found)
        put("bad.c", BAD_DOC)
        tap.result(doc_comments(["bad.c"], folder), "notices a wrong kernel-doc")
    return tap.done()


sys.exit(main())
