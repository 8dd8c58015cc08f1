#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a clone to a result: installs what is missing, builds, strokes the same wave with three
# contact methods and writes one page that compares what the hand would feel.
set -euo pipefail
cd "$(dirname "$0")"

scripts/deps.sh run
echo "== building"
cmake --preset release >/dev/null
cmake --build --preset release --target palpate -- --quiet

echo "== comparing three methods on scenes/sine-static.yaml"
build/palpate compare scenes/sine-static.yaml --methods accurate,standard,penalty --out out/demo

echo
echo "Report: $PWD/out/demo/report.html"
echo "Open it in a browser, for example: xdg-open out/demo/report.html"
if build/palpate --version | grep -q "with viewer"; then
  echo "Touch a scene with the mouse:      build/palpate view"
else
  echo "The viewer is not in this build: npm could not fetch its packages; see docs/building.md"
fi
