#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs tests; lists what was skipped, and why.
#   ./test.sh          every test but the long ones: optimised, then with the sanitizers
#   ./test.sh quick    the same, in the optimised build only
#   ./test.sh long     the long ones: optimised, then with the address sanitizer
set -euo pipefail
cd "$(dirname "$0")"

suffix=""
case "${1:-all}" in
  all) presets=(release asan tsan) ;; # tsan: those tests that start threads
  quick) presets=(release) ;;
  long) presets=(release asan) suffix=-long ;;
  *) echo "usage: ./test.sh [quick|long]" >&2; exit 2 ;;
esac

scripts/deps.sh test

# What the log of a run of ctest says was skipped, a line each, with the name of the test before it.
skipped_in() {
  awk -v preset="$1" '/^[0-9]+\/[0-9]+ Testing: / { test = $3 }
                      sub(/^skipped: /, "") { print "  " preset " " test ": " $0 }' "$2"
}

failed=()
skipped=""
for preset in "${presets[@]}"; do
  echo "== $preset$suffix"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" -- --quiet
  ctest --preset "$preset$suffix" --parallel "$(nproc)" || failed+=("$preset$suffix")
  folder=build
  [ "$preset" = release ] || folder=build-$preset
  skipped+=$(skipped_in "$preset$suffix" "$folder/Testing/Temporary/LastTest.log")$'\n'
done

skipped=$(sed '/^$/d' <<<"$skipped")
[ -z "$skipped" ] || printf 'Skipped: %s\n%s\n' "$(wc -l <<<"$skipped")" "$skipped"
if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
echo "All ${skipped:+other }tests passed: ${presets[*]/%/$suffix}"
