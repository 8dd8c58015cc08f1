#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs every test: optimised, then with the sanitizers.
#   ./test.sh          everything
#   ./test.sh quick    the optimised build only
set -euo pipefail
cd "$(dirname "$0")"

case "${1:-all}" in
  all) presets=(release asan tsan) ;; # tsan: those tests that start threads
  quick) presets=(release) ;;
  *) echo "usage: ./test.sh [quick]" >&2; exit 2 ;;
esac

scripts/deps.sh test
failed=()
for preset in "${presets[@]}"; do
  echo "== $preset"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" -- --quiet
  ctest --preset "$preset" --parallel "$(nproc)" || failed+=("$preset")
done

if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
echo "All tests passed: ${presets[*]}"
