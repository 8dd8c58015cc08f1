#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate run --realtime on soft scenes: two threads share a body that moves, and a third makes its
# factors.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

run()
{
    local method=$1 at_once=$2 out=$folder/$1-$2
    "$PALPATE" run scenes/block-soft.yaml --realtime --seconds 1 --method "$method" --contacts \
        --set objects.0.soft.resolution=4 --set method.elements_at_once="$at_once" --out "$out" \
        --quiet
    python3 - "$out/summary.json" "$at_once" << 'PYTHON'
import json, sys
with open(sys.argv[1]) as file:
    summary = json.load(file)
if int(sys.argv[2]) == 1:
    assert summary["factor_age_ms"]["mean"] > 0 and summary["factor_ms"]["mean"] > 0
    assert 0 < summary["free_iterations"]["max"] <= 3
    assert "factors" in summary["verdict"]["text"]
else:
    assert "factor_age_ms" not in summary
assert summary["mode"] == "realtime" and summary["complete"]
assert summary["not_finite_steps"] == 0
assert summary["haptic_steps"] > 0 and summary["low_steps"] > 0
PYTHON
}
run accurate 10000
run accurate 1
run standard 10000
run standard 1
