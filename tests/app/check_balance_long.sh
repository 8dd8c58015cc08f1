#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# In no shipped scene does a hand at rest feel a force that contacts, weight and what it holds do
# not explain.
set -euo pipefail

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
count=0
for scene in scenes/*.yaml; do
    name=$(basename "$scene" .yaml)
    "$PALPATE" run "$scene" --out "$out/$name" --quiet > /dev/null 2>&1 || true
    python3 - "$out/$name/summary.json" << 'PYTHON'
import json, sys
summary = json.load(open(sys.argv[1]))
for hand in [summary] + summary.get("hands", []):
    assert hand["unexplained_steps"] == 0, (sys.argv[1], hand["unexplained_N"])
PYTHON
    count=$((count + 1))
done
[ "$count" -ge 30 ]
