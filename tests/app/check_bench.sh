#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate bench: the list, wrong names, and a quick run whose report is JSON with a figure a case.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$PALPATE" bench --list | grep -q '^proximity '

code=0
"$PALPATE" bench proximty 2> "$out/error" || code=$?
[ "$code" = 2 ]
grep -q "did you mean 'proximity'" "$out/error"

"$PALPATE" bench proximity --quick --json --out "$out/report" > "$out/printed"
cmp "$out/printed" "$out/report/bench.json"
python3 - "$out/printed" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
cases = report["benchmarks"][0]["cases"]
assert len(cases) >= 10, cases
for case in cases:
    assert case["ours"] > 0 and case["unit"] in ("us", "ms"), case
END

"$PALPATE" bench tick --quick --json > "$out/tick"
python3 - "$out/tick" <<'END'
import json, sys
cases = json.load(open(sys.argv[1]))["benchmarks"][0]["cases"]
for method in ("accurate", "standard", "penalty"):
    for what in ("tick", "low-rate step"):
        case = next(c for c in cases if c["name"] == f"{what}, {method}")
        assert 0 < case["ours"] <= case["p99"] and case["operations"] > 100, case
END
