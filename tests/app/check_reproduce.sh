#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate reproduce: every experiment is listed and runs, and what is said of it is what the
# comparison of its methods measured.
set -eu

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$PALPATE" reproduce --list > "$out/list"
"$PALPATE" reproduce --seconds 0.1 --quiet --out "$out/all" 2> "$out/errors"
"$PALPATE" reproduce accurate-sine --seconds 0.4 --out "$out/sine" > "$out/told"
grep -q "stays on the surface" "$out/told"

python3 - "$out" <<'END'
import json, re, sys
out = sys.argv[1]
listed = [line.split()[0] for line in open(out + "/list")]
everything = json.load(open(out + "/all/results.json"))["experiments"]
assert [e["name"] for e in everything] == listed and len(listed) >= 5
page = open(out + "/all/report.html").read()
for e in everything:
    results = json.load(open(f"{out}/all/{e['name']}/results.json"))
    runs = {m["method"]: m for m in results["methods"]}
    assert e["findings"], e["name"]
    for f in e["findings"]:
        assert f["here"] == runs[f["method"]][f["quantity"]], (e["name"], f)
    assert f'href="{e["name"]}/report.html"' in page
# What the paper shows, and the defect of the baseline.
sine = json.load(open(out + "/sine/results.json"))["experiments"]
assert len(sine) == 1
here = {(f["method"], f["quantity"]): f["here"] for f in sine[0]["findings"]}
assert here["accurate", "surface_distance_max_mm"] < 0.01
assert here["standard", "surface_distance_max_mm"] > 1
assert here["standard", "force_jump_max_N"] > 5 * here["accurate", "force_jump_max_N"]
END

# The table of experiments names every quantity and method as they are called: none falls out.
claims=$(grep -cE '^ +\{"[a-z]+", "[a-zA-Z0-9_]+",' app/experiments.c)
found=$(python3 -c "
import json; print(sum(len(e['findings']) for e in json.load(open('$out/all/results.json'))['experiments']))")
test "$claims" = "$found"

code=0
"$PALPATE" reproduce accurate-sin > /dev/null 2> "$out/errors" || code=$?
test "$code" = 2
grep -q "did you mean 'accurate-sine'" "$out/errors"
code=0
"$PALPATE" reproduce accurate-sine --seconds 0.1 --out /proc/none > /dev/null 2> "$out/errors" || code=$?
test "$code" = 2
grep -q "cannot write" "$out/errors"
