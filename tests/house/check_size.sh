#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tree grows with what it does; its files and functions do not. One noun a file, one task a
# function: the lengths that a reader meets are bounded, and the methods remain few files to be read
# beside their papers.
set -euo pipefail
export LC_ALL=C

python3 - << 'EOF'
import glob
import re
import statistics
import sys

files = {path: open(path, encoding="utf-8").read().split("\n")[:-1]
         for path in sorted(glob.glob("src/*/*.c"))}


def functions(path, lines):
    """(lines between the braces, place) of every function: clang-format puts them in column 1."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{" and re.search(r"\)$", lines[number - 2]):
            start = number
        elif line == "}" and start is not None:
            yield number - start - 1, f"{path}:{start}"
            start = None


def share(values, part):
    """The value below which that part of all of them is."""
    return sorted(values)[int(part * len(values))]


lengths = [len(lines) for lines in files.values()]
found = [item for path, lines in files.items() for item in functions(path, lines)]
bodies = [length for length, _ in found]
methods = glob.glob("src/render/*.[ch]")
longest_file = max(files, key=lambda path: len(files[path]))
longest = max(found)

# What, measured, at most, and where it is largest.
bounds = [
    ("lines of a file, median", statistics.median(lengths), 230, ""),
    ("lines of a file, 90 %", share(lengths, 0.9), 500, ""),
    ("lines of a file, largest", max(lengths), 800, longest_file),
    ("lines of a function, median", statistics.median(bodies), 10, ""),
    ("lines of a function, 90 %", share(bodies, 0.9), 25, ""),
    ("lines of a function, 99 %", share(bodies, 0.99), 40, ""),
    ("lines of a function, largest", longest[0], 60, longest[1]),
    ("files of src/render", len(methods), 25, ""),
]
too_large = [bound for bound in bounds if bound[1] > bound[2]]
print(f"{len(files)} files with {len(found)} functions")
for what, value, most, where in bounds:
    print(f"{what}: {value:g}, at most {most}" + (f", {where}" if where else ""))
# All functions are seen: a file has one in some twenty lines.
if len(found) < sum(lengths) / 40:
    sys.exit("functions were not recognised")
sys.exit(1 if too_large else 0)
EOF
