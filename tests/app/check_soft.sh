#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Soft scenes in the program: run with contacts, compare, check, and bad input.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scene="$PWD/scenes/block-soft.yaml"
cd "$folder"

"$PALPATE" run "$scene" --seconds 1.2 --contacts --out run > run.txt 2> notes.txt
grep -q "block is soft: 729 nodes, 81 held; 2560 tets" notes.txt
grep -q "contacts.csv" run.txt
python3 - << 'PYTHON'
import csv, json
with open("run/summary.json") as file:
    summary = json.load(file)
with open("run/haptic.csv") as file:
    ticks = {row["t"]: row for row in csv.DictReader(file)}
with open("run/contacts.csv") as file:
    rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

assert summary["latency_s"] == summary["low_dt_s"], "a whole step where anything is soft"
body, = summary["bodies"]
assert body["name"] == "block" and body["soft"] and body["elements"] == 2560
assert body["contact_steps"] == len({row["t"] for row in rows}) > 300
sums = [sum(row["force_" + axis] for row in rows) / body["contact_steps"] for axis in "xyz"]
assert all(abs(a - b) < 1e-9 for a, b in zip(sums, body["mean_force_N"])), (sums, body)
for row in rows:
    normal = [row["normal_" + axis] for axis in "xyz"]
    force = [row["force_" + axis] for axis in "xyz"]
    assert abs(sum(n * n for n in normal) - 1) < 1e-9
    pressing = -sum(n * f for n, f in zip(normal, force))
    assert abs(pressing - row["force_normal"]) < 1e-9 and pressing > -1e-9
    across = (sum(f * f for f in force) - pressing ** 2)
    assert abs(max(0, across) ** 0.5 - row["force_tangential"]) < 1e-6
    assert abs(row["gap"]) < 1e-6
# The block is pushed down by the hand above it.
assert body["mean_force_N"][1] < -0.05
PYTHON

# The soft statue's updates describe 50 to 100 limited constraints with friction, three rows each.
"$PALPATE" run "${scene/block/statue}" --seconds 1.2 --out statue --quiet
python3 - << 'PYTHON'
import csv, json
with open("statue/summary.json") as file:
    summary = json.load(file)
with open("statue/haptic.csv") as file:
    near = [int(row["constraints"]) for row in csv.DictReader(file)]
with open("statue/low.csv") as file:
    updates = [(int(row["contacts"]), int(row["constraints"])) for row in csv.DictReader(file)]
described = [contacts for contacts, rows in updates if contacts > 0]
assert all(rows == 3 * contacts for contacts, rows in updates)
assert 50 <= sum(described) / len(described) <= 100, described
assert summary["described_contacts"]["count"] == len(described)
assert summary["described_contacts"]["max"] == max(described) <= 120
assert 0 < summary["constraints"]["max"] == max(near) <= 3 * max(described)
PYTHON

"$PALPATE" run "$scene" --seconds 1.2 --out plain --quiet
test ! -e plain/contacts.csv
test ! -e plain/bodies.palf

# The motion of the bodies beside it: read from the description in docs/viewer.md. Whoever records
# it gets the same run.
"$PALPATE" run "$scene" --seconds 1.2 --bodies --out bodies --quiet
python3 - << 'PYTHON'
import csv, struct
with open("bodies/bodies.palf", "rb") as file:
    data = file.read()
at, frames = 0, []
while at < len(data):
    magic, version, sections = struct.unpack_from("<4sHH", data, at)
    t, stream, length = struct.unpack_from("<dII", data, at + 16)
    kind, size = struct.unpack_from("<II", data, at + 32)
    number, body, vertices, triangles = struct.unpack_from("<IIII", data, at + 40)
    assert (magic, version, sections, kind, number, body, triangles) == (b"PALF", 1, 1, 2, 0, 2, 0)
    xyz = struct.unpack_from("<%df" % (3 * vertices), data, at + 64)
    top = [xyz[i + 1] for i in range(0, len(xyz), 3) if abs(xyz[i]) < 0.02 > abs(xyz[i + 2]) and xyz[i + 1] > 0.03]
    frames.append((t, min(top)))
    at += length
assert at == len(data)
times = [t for t, _ in frames]
assert len(frames) > 30 and times == sorted(times) and times[0] < 0.02 and times[-1] > 1.1
assert abs(frames[0][1] - 0.05) < 1e-6 and frames[-1][1] < 0.046, "flat at first, then pressed"

def rows(path):
    with open(path) as file:
        return [row for row in csv.reader(file)]
plain, watched = rows("plain/haptic.csv"), rows("bodies/haptic.csv")
last = plain[0].index("step_us")
assert [row[:last] for row in plain] == [row[:last] for row in watched]
PYTHON

"$PALPATE" compare "$scene" --methods accurate,standard --seconds 0.8 --out compared --quiet
test -s compared/accurate/summary.json -o -n "$(ls compared)"

"$PALPATE" check "$scene" > checked.txt
grep -q "soft" checked.txt

# One clear message and exit 2 each.
refuse()
{
    local what="$1" code=0
    shift
    "$PALPATE" run "$scene" --seconds 0.01 --out refused --quiet "$@" > out.txt 2> err.txt || code=$?
    if [ "$code" != 2 ] || ! grep -qF "$what" err.txt || [ "$(wc -l < err.txt)" != 1 ]; then
        echo "refuse: $* gives $code:"
        cat err.txt
        exit 1
    fi
}
refuse "nearly incompressible" --set objects.0.soft.poisson=0.495
refuse "no node set 'lid'" --set objects.0.soft.fixed.0.nodes=lid
refuse "every node of the soft body is held" \
    --set "objects.0.soft.fixed=[{sphere: {centre: [0, 0, 0], radius: 1}}]"
refuse "has no inside to fill" --set objects.0.shape.kind=plane \
    --set objects.0.soft.elements=hexes --set "objects.0.soft.fixed=[]"
refuse "would have" --set objects.0.soft.resolution=60
refuse "gravity pulls it away" --set gravity=[0,-9.81,0] --set "objects.0.soft.fixed=[]"

# A volume cut short, and one with an element inside out beyond repair: flat.
printf 'MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0' > broken.mesh
refuse "broken.mesh" --set objects.0.mesh=broken.mesh
printf 'MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n1 1 0 0\n%s\nEnd\n' \
    'Tetrahedra
1
1 2 3 4 0' > flat.mesh
refuse "flat.mesh" --set objects.0.mesh=flat.mesh
