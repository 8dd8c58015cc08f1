#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate run --realtime on soft scenes: two threads share a body that moves.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for method in accurate standard; do
    "$PALPATE" run scenes/block-soft.yaml --realtime --seconds 1 --method "$method" --contacts \
        --set objects.0.soft.resolution=4 --out "$folder/$method" --quiet
    python3 - "$folder/$method/summary.json" << 'PYTHON'
import json, sys
with open(sys.argv[1]) as file:
    summary = json.load(file)
assert summary["mode"] == "realtime" and summary["complete"]
assert summary["not_finite_steps"] == 0
assert summary["haptic_steps"] > 0 and summary["low_steps"] > 0
PYTHON
done
