#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Scenes with a tool: what is wrong with one is told in a line, and it runs with any closed mesh.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# refuse WHAT SET...: exit 2 and one line of error that says WHAT.
refuse()
{
    what=$1
    shift
    code=0
    "$PALPATE" run scenes/tool-block.yaml --seconds 0.05 --out "$out/run" "$@" \
        > "$out/told" 2> "$out/error" || code=$?
    [ "$code" = 2 ] || { echo "exit $code for $*"; cat "$out/error"; exit 1; }
    grep -q "$what" "$out/error" || { echo "not told '$what':"; cat "$out/error"; exit 1; }
}

printf 'v 0 0 0\nv 0.01 0 0\nv 0 0.01 0\nv 0 0 0.01\nf 1 3 2\nf 1 2 4\nf 1 4 3\n' > "$out/open.obj"
refuse "tool.mesh.*cannot" --set "tool={mesh: $out/missing.obj}"
refuse "not closed" --set "tool={mesh: $out/open.obj}"
refuse "not closed" --set "tool={shape: {kind: plane}}"
refuse "mass" --set tool.mass=0
refuse "mass" --set tool.mass=.nan
refuse "density" --set tool.density=-1
refuse "stiffness" --set coupling.stiffness=-1
refuse "turn_stiffness" --set coupling.turn_stiffness=-0.1
refuse "turn_damping" --set coupling.turn_damping=.inf
refuse "constraints" --set method.constraints=sticky
refuse "turn" --set "trajectory.points.1.turn=[.nan, 0, 0]"
for method in accurate standard penalty; do
    refuse "method $method with a tool does not know frozen soft objects; take 'response' out" \
        --method $method --set method.response=frozen
done
refuse "would have .* points; .*larger spacing" --method accurate --set tool.spacing=1e-7 \
    --set "objects.0={shape: {kind: box}}"
refuse "does not take objects as point shells with a tool; use method" --method accurate \
    --set "objects.0={shape: {kind: box}, representation: points}"
code=0
"$PALPATE" run scenes/touch.yaml --method linear --seconds 0.05 --out "$out/run" 2> "$out/error" ||
    code=$?
[ "$code" = 2 ]
grep -q "takes a tool in the hand, and here it is a point; use method .* add a 'tool'" "$out/error"

# A user's own meshes: a tool from a file, held at its tip, in a volume from a file.
"$PALPATE" mesh --generate probe --out "$out/tool.ply" --quiet
"$PALPATE" mesh --generate block --resolution 4 --size 0.1 --out "$out/block.msh" --quiet
"$PALPATE" run scenes/tool-block.yaml --seconds 0.8 --out "$out/run" --quiet \
    --set "tool={mesh: $out/tool.ply, scale: 0.5, density: 2000}" \
    --set "objects.0={mesh: $out/block.msh, soft: {fixed: [{plane: {point: [0, -0.049, 0], normal: [0, 1, 0]}}]}}"
python3 - "$out/run" <<'END'
import csv, json, math, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/haptic.csv")))
assert {"proxy_qw", "proxy_qx", "torque_x"} <= set(rows[0]), rows[0].keys()
assert all(math.isfinite(float(v)) for r in rows for v in r.values())
assert max(float(r["force_y"]) for r in rows) > 0.05
assert json.load(open(sys.argv[1] + "/summary.json"))["method"] == "linear"
END

# All that fit a scene with a tool.
"$PALPATE" compare scenes/tool-block.yaml --seconds 0.2 --out "$out/both" > "$out/told"
grep -q "^linear" "$out/told"
grep -q "^coupling" "$out/told"
grep -q "^accurate" "$out/told"
grep -q "Tangential" "$out/both/report.html"

# A tool that touches rigid things with its points: outside and on the surface with `accurate`, off
# it with `standard`; on the user's own mesh too.
"$PALPATE" compare scenes/tool-wave.yaml --seconds 1.2 --methods accurate,standard \
    --out "$out/shell" > "$out/told"
grep -q "^accurate" "$out/told"
grep -q "^standard" "$out/told"
"$PALPATE" mesh --generate rocker --resolution 60 --out "$out/part.ply" --quiet
"$PALPATE" run scenes/tool-wave.yaml --seconds 0.5 --out "$out/part" --quiet \
    --set "objects.0={mesh: $out/part.ply}" --set tool.spacing=0.001 --set method.radius=0.01 \
    --set "trajectory={kind: press, object: 0, direction: [0, -1, 0], gap: 0.01, depth: 0.003, speed: 0.1}"
cat > "$out/flat.yaml" <<'END'
palpate: 1
gravity: [0, 0, 0]
time: {seconds: 0.6}
method: {name: accurate}
tool: {shape: {kind: box, size: [0.04, 0.01, 0.04]}, spacing: 0.001}
trajectory: {kind: path, points: [{t: 0, at: [0, 0.02, 0]}, {t: 0.3, at: [0, 0.003, 0]}, {t: 0.6, at: [0.01, 0.003, 0]}]}
objects: [{shape: {kind: box, size: [0.2, 0.02, 0.2]}, position: [0, -0.01, 0], friction: 0.2}]
END
"$PALPATE" compare "$out/flat.yaml" --methods accurate,standard,penalty --out "$out/flat" --quiet
python3 - "$out" <<'END'
import csv, json, math, sys
out = sys.argv[1]
for folder in ("shell/accurate", "part"):
    summary = json.load(open(f"{out}/{folder}/summary.json"))
    rows = list(csv.DictReader(open(f"{out}/{folder}/haptic.csv")))
    assert {"proxy_qw", "torque_x"} <= set(rows[0]), rows[0].keys()
    assert all(math.isfinite(float(v)) for r in rows for v in r.values())
    assert summary["penetration_mm"]["max"] < 1e-9, summary["penetration_mm"]
    # On the surface, but for single ticks in which an edge has slid past the end of another.
    assert summary["surface_distance_mm"]["p99"] < 1e-3, summary["surface_distance_mm"]
    assert summary["surface_distance_mm"]["max"] < 0.05, summary["surface_distance_mm"]
    assert summary["contact_steps"] > 100, summary["contact_steps"]
    assert summary["box_held_steps"] == 0
    assert max(math.hypot(*(float(r["torque_" + k]) for k in "xyz")) for r in rows) > 1e-4
# A flat tool of thousands of points is thinned, and slides: 2 mm below the table, friction 0.2.
# With `penalty` the springs of coupling and surface are in series, 1000 and 2000 N/m.
for method, push in ("accurate", 2.0), ("standard", 2.0), ("penalty", 4.0 / 3.0):
    rows = list(csv.DictReader(open(f"{out}/flat/{method}/haptic.csv")))
    last = rows[-1]
    assert abs(float(last["force_y"]) - push) < 0.01, last
    assert abs(float(last["force_x"]) + 0.2 * push) < 0.01, last
standard = json.load(open(f"{out}/shell/standard/summary.json"))
assert standard["surface_distance_mm"]["max"] > 0.1, standard["surface_distance_mm"]
END
