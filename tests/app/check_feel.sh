#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate bench feel: what is felt is that of everything at the high rate, the frozen form is not,
# and both are drawn.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$PALPATE" bench feel --quick --json --out "$folder/out" > "$folder/printed"
cmp "$folder/printed" "$folder/out/bench.json"
python3 - "$folder/out" << 'PYTHON'
import csv, json, sys
out = sys.argv[1]
with open(out + "/bench.json") as file:
    cases = {case["name"]: case for case in json.load(file)["benchmarks"][0]["cases"]}
errors = [case for name, case in cases.items() if name.startswith("impedance error")]
assert len(errors) == 4
assert all(case["ours"] < 5 and case["baseline"] > 10 * case["ours"] for case in errors), errors
step = cases["20 mm/s, largest force change per tick"]
frozen = cases["20 mm/s, largest force change, frozen"]
assert step["ours"] < 1.1 * step["baseline"] and frozen["ours"] > 10 * step["ours"], (step, frozen)
with open(out + "/impedance.csv") as file:
    rows = list(csv.DictReader(file))
at10, = [row for row in rows if float(row["frequency_Hz"]) == 10]
assert abs(float(at10["frozen_10kPa"]) / cases["impedance error, 10 kPa, 10 Hz"]["baseline"] - 1) < 1e-4
with open(out + "/press.csv") as file:
    rows = list(csv.DictReader(file))
assert len(rows) == 300
last = rows[-1]
assert abs(float(last["advanced_N"]) / float(last["everything_at_1kHz_N"]) - 1) < 0.02, last
PYTHON
for figure in impedance press; do
    grep -q "</svg>" "$folder/out/$figure.svg"
done

code=0
"$PALPATE" bench feel --quick --out /proc/no/such 2> "$folder/error" || code=$?
[ "$code" = 2 ] && grep -q "^palpate: error: /proc/no/such: cannot write: " "$folder/error"
