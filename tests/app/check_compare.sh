#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate compare: the same hand for every method, and a report whose numbers are those of the
# recordings.
set -eu

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$PALPATE" compare scenes/sine-static.yaml --seconds 0.4 --methods standard,accurate,standard \
    --set objects.0.friction=0 --out "$out" > "$out/told"
grep -q "report.html" "$out/told"

python3 - "$out" <<'END'
import csv, json, math, re, sys
import xml.etree.ElementTree as tree
out = sys.argv[1]
results = json.load(open(out + "/results.json"))
assert [m["method"] for m in results["methods"]] == ["standard", "accurate"], results
assert results["seconds"] == 0.4 and results["low_dt_s"] == 0.033

def read(method):
    return [{k: float(v) for k, v in row.items()}
            for row in csv.DictReader(open(f"{out}/{method}/haptic.csv"))]
def force(row):
    return [row["force_" + k] for k in "xyz"]
def close(a, b):
    return abs(a - b) <= 1e-12 * max(abs(a), abs(b), 1)

runs = {m["method"]: read(m["method"]) for m in results["methods"]}
for a, b in zip(runs["standard"], runs["accurate"]):
    assert all(a["dev_" + k] == b["dev_" + k] for k in "xyz"), "the hand differs"
for m in results["methods"]:
    rows = runs[m["method"]]
    assert len(rows) == 400
    sizes = [math.hypot(*force(r)) for r in rows]
    jumps = [math.dist(force(a), force(b)) for a, b in zip(rows, rows[1:])]
    assert close(m["force_max_N"], max(sizes)), m
    assert close(m["force_mean_N"], sum(sizes) / len(sizes)), m
    assert close(m["force_jump_max_N"], max(jumps)), m
    assert m["contact_steps"] == sum(r["active"] > 0 for r in rows), m
first = runs["standard"]
apart = sum(math.dist(force(a), force(b)) ** 2 for a, b in zip(first, runs["accurate"]))
size = sum(math.hypot(*force(a)) ** 2 for a in first)
assert close(results["methods"][1]["force_difference_percent"], 100 * math.sqrt(apart / size))
assert results["methods"][0]["surface_distance_max_mm"] > 1
assert results["methods"][1]["surface_distance_max_mm"] < 0.01

page = open(out + "/report.html").read()
assert not re.search(r"(src|href)=|https?://|url\(", page), "the page needs something else"
drawings = re.findall(r"<svg viewBox.*?</svg></svg>", page, re.S)
assert len(drawings) == 6, len(drawings)
for drawing in drawings:
    paths = [p.get("d") for p in tree.fromstring(drawing).iter("path")]
    assert paths and not any("nan" in d or "inf" in d for d in paths)
for m in ("standard", "accurate"):
    assert f"<th>{m}</th>" in page
END

expect() {
    code=0
    "$PALPATE" compare "${@:2}" > "$out/told" 2>&1 || code=$?
    [ "$code" = "$1" ] || { echo "palpate compare ${*:2} exits with $code, not $1"; exit 1; }
}
expect 2 scenes/sine-static.yaml --methods acurate
grep -q "did you mean 'accurate'" "$out/told"
expect 2
expect 2 no-such.yaml --out "$out/none"
expect 2 scenes/touch.yaml --seconds 0.01 --out /proc/none
expect 0 --help
