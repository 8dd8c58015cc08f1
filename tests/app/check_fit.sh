#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate fit: finds the values with which a measurement was made, draws it, and refuses what it
# cannot fit with the place and a remedy.
set -eu

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cat > "$out/press.yaml" <<'END'
palpate: 1
time: {seconds: 1.2, dt: 0.001, low_dt: 0.02, latency: 0.01}
method: {name: accurate, radius: 0.02}
trajectory: {kind: press, target: [0.002, 0, 0.001], direction: [0, -1, 0], gap: 0.002, depth: 0.01, hold: 3}
objects:
  - name: block
    shape: {kind: box, size: [0.06, 0.04, 0.06]}
    position: [0, -0.02, 0]
    friction: 0.5
    soft: {young: 10000, stiffening: 2, elements: tets, resolution: 3, fixed: [{nodes: ymin}]}
END

# The measurement: runs of 7 kPa and 4, whose last rows have the force, and how deep the proxy is,
# with the columns in another order and one that is not looked at.
echo "note,force_N,depth_m" > "$out/measured.csv"
for depth in 0.012 0.003 0.006 0.009; do
    "$PALPATE" run "$out/press.yaml" --quiet --out "$out/run" --set "trajectory.depth=$depth" \
        --set objects.0.soft.young=7000 --set objects.0.soft.stiffening=4
    tail -n 1 "$out/run/haptic.csv" | awk -F, '{ printf "1,%s,%.12g\n", $9, -$6 }' \
        >> "$out/measured.csv"
done
"$PALPATE" fit "$out/press.yaml" --measured "$out/measured.csv" --json --out "$out/fit" \
    --vary objects.0.soft.young,objects.0.soft.stiffening --write "$out/fitted.yaml" > "$out/told"
"$PALPATE" check "$out/fitted.yaml" > "$out/checked"

python3 - "$out" <<'END'
import csv, json, re, sys
import xml.etree.ElementTree as tree
out = sys.argv[1]
told = json.load(open(out + "/told"))
values = {v["path"]: v for v in told["values"]}
young, stiffening = (values["objects.0.soft." + k] for k in ("young", "stiffening"))
print(young, stiffening, told["presses"], "presses")
assert told["converged"] and told["points"] == 4
assert abs(young["value"] / 7000 - 1) < 0.01 and abs(stiffening["value"] / 4 - 1) < 0.01
assert young["unit"] == "Pa"
for v in values.values():
    assert 0 < v["standard_error"] < 0.01 * v["value"], v
rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(out + "/fit/fit.csv"))]
assert [r["depth_m"] for r in rows] == sorted(r["depth_m"] for r in rows) and len(rows) == 4
for r in rows:
    assert abs(r["fitted_N"] / r["measured_N"] - 1) < 0.001, r
    assert abs(r["fitted_N"] - r["measured_N"] - r["residual_N"]) < 1e-8, r
page = open(out + "/fit/fit.html").read()
drawings = re.findall(r"<svg viewBox.*?</svg></svg>", page, re.S)
assert len(drawings) == 2
for drawing in drawings:
    dots = [p.get("d").count("h0") for p in tree.fromstring(drawing).iter("path")]
    assert max(dots) == 4 and "nan" not in drawing, drawing
written = re.search(r"^ *young: (\S+)", open(out + "/fitted.yaml").read(), re.M)
assert float(written[1]) == young["value"], written
END

# Refusals: exit code 2, one line with the place and what to do.
refuse() { # TEXT ARGUMENTS...
    code=0
    "$PALPATE" fit "${@:2}" --out "$out/none" > "$out/told" 2>&1 || code=$?
    [ "$code" = 2 ] || { echo "palpate fit ${*:2} exits with $code: $(cat "$out/told")"; exit 1; }
    [ "$(wc -l < "$out/told")" = 1 ] && grep -q "$1" "$out/told" ||
        { echo "expected '$1': $(cat "$out/told")"; exit 1; }
}
measured() {
    printf '%b' "$1" > "$out/bad.csv"
}
young="--vary objects.0.soft.young"
refuse "no measurement given" "$out/press.yaml" $young
refuse "nothing to find" "$out/press.yaml" --measured "$out/measured.csv"
measured ''
refuse "bad.csv:1:1: the file is empty" "$out/press.yaml" --measured "$out/bad.csv" $young
measured 'depth_mm,force_N\n1,2\n'
refuse "bad.csv:1:1: no column 'depth_m'.*in metres" "$out/press.yaml" --measured "$out/bad.csv" $young
measured 'depth_m,force_N\n0.001,0.1\n0.002,much\n'
refuse "bad.csv:3:7: force_N: 'much' is not a number" "$out/press.yaml" --measured "$out/bad.csv" $young
measured 'depth_m,force_N\n-0.001,0.1\n'
refuse "bad.csv:2:1: .* above the surface" "$out/press.yaml" --measured "$out/bad.csv" $young
measured 'depth_m,force_N\n0.001,0.1\n'
refuse "2 values cannot be fitted to 1 points" "$out/press.yaml" --measured "$out/bad.csv" \
    --vary objects.0.soft.young,objects.0.soft.stiffening
refuse "no number there" "$out/press.yaml" --measured "$out/measured.csv" --vary objects.1.soft.young
refuse "no number there" "$out/press.yaml" --measured "$out/measured.csv" --vary objects.0.name
refuse "it is 0 in the scene.*--set" "$out/press.yaml" --measured "$out/measured.csv" \
    --set objects.0.soft.stiffening=0 --vary objects.0.soft.stiffening
refuse "does not press" "$out/press.yaml" --measured "$out/measured.csv" $young \
    --set 'trajectory={kind: line}'
