#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate bench factor: a quick run agrees with CHOLMOD (the benchmark compares the results itself) and
# reports every case; the program does not link CHOLMOD, which has parts under the GPL.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

if ldd "$PALPATE" | grep -i cholmod; then
    echo "the program links CHOLMOD"
    exit 1
fi

# Leaks are not asked about: libraries that are loaded keep what they have.
ASAN_OPTIONS=detect_leaks=0 "$PALPATE" bench factor --quick --json > "$out/report.json"
python3 - "$out/report.json" <<'END'
import json, sys
cases = json.load(open(sys.argv[1]))["benchmarks"][0]["cases"]
names = [case["name"] for case in cases]
for dofs in (2187, 14739):
    for name in ("analysis", "factor", "solve", "W of 75 rows"):
        assert f"{name}, {dofs} dofs" in names, names
for case in cases:
    assert case["ours"] > 0 and case["unit"] == "ms", case
END
