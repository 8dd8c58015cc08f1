#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate devices: the table for people and the same for programs.
set -eu

"$PALPATE" devices --json | python3 -c '
import json, sys
found = json.load(sys.stdin)
drivers = {d["name"]: d for d in found["drivers"]}
presets = {p["name"]: p for p in found["presets"]}
assert drivers["replay"]["usable"] and drivers["simulated"]["usable"], drivers
assert all(d["usable"] or d["reason"] for d in drivers.values()), drivers
assert presets["touch"]["max_force_N"] == 3.3, presets["touch"]
assert presets["lambda.7"]["max_stiffness_N_per_m"] == 8000, presets["lambda.7"]
'

text=$("$PALPATE" devices)
for word in replay simulated available touch omega.3 falcon; do
    grep -qF "$word" <<< "$text" || { echo "palpate devices does not say '$word'"; exit 1; }
done

code=0
"$PALPATE" devices --jsno 2> /dev/null || code=$?
[ "$code" = 2 ] || { echo "a wrong option exits with $code, not 2"; exit 1; }
