#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate methods: the table for people and for programs, and scenes that it refuses. Nothing that
# a scene contains is left out without a word.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$PALPATE" methods --json > "$out/methods.json"
text=$("$PALPATE" methods)
python3 - "$out/methods.json" <<'END'
import json, sys
methods = {m["name"]: m for m in json.load(open(sys.argv[1]))["methods"]}
assert "free air" in methods["coupling"]["limits"] and not methods["accurate"]["limits"]
assert {"accurate", "standard", "penalty", "compliance", "linear", "coupling"} <= set(methods)
for method in methods.values():
    assert method["summary"] and method["hands"], method
    assert all(hand["static objects"] for hand in method["hands"]), method
END
for word in "is held back by stiffness x speed" "give way as contact.law" accurate compliance "a point" "a tool" "a wire" "soft objects"; do
    grep -qF "$word" <<< "$text" || { echo "palpate methods does not say '$word'"; exit 1; }
done

# refuse WORDS SCENE METHOD: exit code 2 and one line with the words, from check and from run.
refuse()
{
    local code=0
    "$PALPATE" run "$2" --method "$3" --seconds 0.01 --quiet --out "$out/run" 2> "$out/error" ||
        code=$?
    [ "$code" = 2 ] || { echo "$2 under $3 ended with $code"; exit 1; }
    grep -q "$1" "$out/error" || { cat "$out/error"; echo "not said: $1"; exit 1; }
    code=0
    "$PALPATE" check "$2" --set "method.name=$3" > /dev/null 2>&1 || code=$?
    [ "$code" = 2 ] || { echo "palpate check $2 under $3 ended with $code"; exit 1; }
}

refuse "beams.yaml:[0-9]*:[0-9]*: method accurate takes .* in the hand, and here it is a wire; use method compliance" \
    scenes/beams.yaml accurate
refuse "method linear takes a tool in the hand, and here it is a point; use method accurate" \
    scenes/touch.yaml linear

# Joints with the tool are refused at their line where they cannot take part, and so are joints that
# cannot be made, under every method.
cat > "$out/joints.yaml" <<'END'
palpate: 1
method: {name: compliance}
trajectory: {kind: line, start: [0, 0.1, 0], end: [0, 0.05, 0]}
objects:
  - {name: block, shape: {kind: box, size: [0.04, 0.04, 0.04]}, soft: {resolution: 2}}
tool: {shape: {kind: sphere, radius: 0.005, resolution: 6}}
wires:
  - {name: line, start: [0, 0.1, 0], end: [0.1, 0.1, 0], section: {shape: circle, radius: 0.001}}
joints:
  - {kind: ball, body: tool, to: line, point: [0, 0.1, 0]}
END
names=$(python3 -c '
import json, sys
methods = json.load(open(sys.argv[1]))["methods"]
print(" ".join(m["name"] for m in methods for h in m["hands"]
               if h["holds"] == "a tool" and not h["joints with the tool"]))' "$out/methods.json")
[ -n "$names" ] || { echo "every method takes joints with the tool"; exit 1; }
for method in $names; do
    refuse "joints.yaml:10:3: method $method does not take joints with the tool" \
        "$out/joints.yaml" "$method"
done
for method in accurate linear coupling compliance; do
    sed 's/body: tool, to: line/body: line, to: nobody/' "$out/joints.yaml" > "$out/nobody.yaml"
    refuse "nobody.yaml:10:.*nothing is named 'nobody'; there are line, block, tool, and world" \
        "$out/nobody.yaml" "$method"
    sed 's/kind: ball, body: tool, to: line/kind: hinge, body: line, to: world, axis: [0, 0, 0]/' \
        "$out/joints.yaml" > "$out/hinge.yaml"
    refuse "hinge.yaml:10:.*the axis of a hinge has no direction; give axis" \
        "$out/hinge.yaml" "$method"
    sed -i 's/, axis: \[0, 0, 0\]//' "$out/hinge.yaml"
    refuse "hinge.yaml:10:.*the axis of a hinge is not given; give axis" \
        "$out/hinge.yaml" "$method"
done
