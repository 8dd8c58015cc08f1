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
assert {"accurate", "standard", "penalty", "compliance", "linear", "coupling"} <= set(methods)
for method in methods.values():
    assert method["summary"] and method["hands"], method
    assert all(hand["static objects"] for hand in method["hands"]), method
END
for word in accurate compliance "a point" "a tool" "a wire" "soft objects"; do
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

# Wires that nobody holds, and joints, are refused at their lines where they cannot take part.
cat > "$out/wires.yaml" <<'END'
palpate: 1
method: {name: accurate}
trajectory: {kind: line, start: [0, 0.1, 0], end: [0, 0.05, 0]}
objects: [{shape: {kind: box}}]
wires:
  - {start: [0, 0.1, 0], end: [0.1, 0.1, 0], section: {shape: circle, radius: 0.001}}
END
parts=$(python3 -c '
import json, sys
methods = json.load(open(sys.argv[1]))["methods"]
print(" ".join(m["name"] for m in methods for h in m["hands"]
               if h["holds"] == "a point" and not h["wires"]))' "$out/methods.json")
for method in $parts; do
    refuse "wires.yaml:6:3: method $method does not take wires" "$out/wires.yaml" "$method"
done
