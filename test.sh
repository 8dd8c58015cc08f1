#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test: optimised, then the sanitizers.
#   ./test.sh          everything
#   ./test.sh quick    the optimised build only
set -euo pipefail
cd "$(dirname "$0")"

scripts/deps.sh test
presets=(release asan tsan)
[ "${1:-}" = quick ] && presets=(release)

for preset in "${presets[@]}"; do
  echo "== $preset"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" -- --quiet
  filter=()
  # Only what uses threads can race; the rest would run a third time for nothing.
  [ "$preset" = tsan ] && filter=(--tests-regex '^runtime/')
  ctest --preset "$preset" --parallel "$(nproc)" "${filter[@]}"
done
