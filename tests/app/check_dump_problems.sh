#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Problems written by a run can be studied alone: palpate solve finds a force for each.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for method in accurate standard; do
  "$PALPATE" run scenes/rocker.yaml --method "$method" --seconds 0.3 --quiet \
    --out "$folder/$method" --dump-problems "$folder/$method/problems"
  count=0
  for problem in "$folder/$method/problems/"problem-*[05].txt; do
    "$PALPATE" solve "$problem" --tolerance 1e-10 --json >"$folder/solved.json"
    python3 - "$folder/solved.json" "$problem" <<'EOF'
import json, sys
solved = json.load(open(sys.argv[1]))
assert solved["outcome"] == "converged", (sys.argv[2], solved)
EOF
    count=$((count + 1))
  done
  [ "$count" -ge 20 ] || { echo "only $count problems of method $method"; exit 1; }
done

if "$PALPATE" run scenes/rocker.yaml --realtime --seconds 0.1 --quiet --out "$folder/r" \
  --dump-problems "$folder/p" 2>"$folder/message"; then
  echo "problems were written in real time"
  exit 1
fi
grep -q "without --realtime" "$folder/message"
