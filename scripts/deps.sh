#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Palpate needs on Debian 12, and only what is missing.
#   scripts/deps.sh run    to build and run the program
#   scripts/deps.sh test   the same, and what the tests and benchmarks compare with
set -euo pipefail

run_packages=(gcc libc6-dev cmake ninja-build pkg-config libyaml-dev libassimp-dev libmetis-dev
              libopenblas-dev liblapacke-dev gnuplot-nox)
test_packages=(libcmocka-dev libembree-dev libsiconos-numerics-dev libfclib-dev libsuitesparse-dev
               clang-format python3-minimal)

packages=("${run_packages[@]}")
[ "${1:-run}" = test ] && packages+=("${test_packages[@]}")

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
    missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "error: these packages are missing and need root to install: ${missing[*]}" >&2
    exit 2
  }
  as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update -qq &&
       "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1
then
  cat "$log" >&2
  echo "error: apt-get could not install: ${missing[*]}" >&2
  exit 2
fi
