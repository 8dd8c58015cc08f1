#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Problems written by a run can be studied alone: palpate solve finds a force for each.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for method in accurate standard; do
  "$PALPATE" run scenes/rocker.yaml --method "$method" --seconds 0.3 --quiet \
    --out "$folder/$method" --dump-problems "$folder/$method/problems"
  count=$(find "$folder/$method/problems" -name 'problem-*.txt' | wc -l)
  [ "$count" -ge 100 ] || { echo "only $count problems of method $method"; exit 1; }
  for problem in "$folder/$method/problems/"problem-*[27]5.txt; do
    "$PALPATE" solve "$problem" --tolerance 1e-10 --json >"$folder/solved.json"
    grep -q '"outcome": "converged"' "$folder/solved.json" || { cat "$problem"; exit 1; }
  done
done

# Each hand has a problem of its own.
"$PALPATE" run scenes/two-hands-block.yaml --seconds 1 --quiet --out "$folder/hands" \
  --dump-problems "$folder/hands/problems"
for name in 'problem-??????.txt' 'problem-??????-hand1.txt'; do
  count=$(find "$folder/hands/problems" -name "$name" | wc -l)
  [ "$count" -ge 100 ] || { echo "only $count files $name"; exit 1; }
done
last=$(find "$folder/hands/problems" -name 'problem-*-hand1.txt' | sort | tail -1)
"$PALPATE" solve "$last" --tolerance 1e-10 >"$folder/solved"

# Method coupling solves contact at the low rate alone.
"$PALPATE" run scenes/tool-block.yaml --method coupling --seconds 1 --quiet --out "$folder/low" \
  --dump-problems "$folder/low/problems"
count=$(find "$folder/low/problems" -name 'low-problem-*.txt' | wc -l)
[ "$count" -ge 5 ] || { echo "only $count problems of the low rate"; exit 1; }
last=$(find "$folder/low/problems" -name 'low-problem-*.txt' | sort | tail -1)
"$PALPATE" solve "$last" --tolerance 1e-8 >"$folder/solved"

if "$PALPATE" run scenes/rocker.yaml --realtime --seconds 0.1 --quiet --out "$folder/r" \
  --dump-problems "$folder/p" 2>"$folder/message"; then
  echo "problems were written in real time"
  exit 1
fi
grep -q "without --realtime" "$folder/message"
