#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Palpate needs on Debian 12, and only what is missing.
#   scripts/deps.sh run    to build and run the program
#   scripts/deps.sh test   the same, and what the tests and benchmarks compare with
set -euo pipefail

run_packages=(gcc libc6-dev cmake ninja-build pkg-config libcmocka-dev libyaml-dev libassimp-dev
              libmetis-dev libopenblas-dev liblapacke-dev gnuplot-nox python3 libcivetweb-dev)
test_packages=(g++ clang-format libembree-dev libsiconos-numerics-dev libfclib-dev
               libsuitesparse-dev libode-dev chromium locales)

case "${1:-run}" in
  run) packages=("${run_packages[@]}") ;;
  test) packages=("${run_packages[@]}" "${test_packages[@]}") ;;
  *) echo "usage: scripts/deps.sh run|test" >&2; exit 2 ;;
esac

# The viewer's page needs Node 18 and npm; a newer Node from elsewhere does as well.
command -v node >/dev/null && command -v npm >/dev/null || packages+=(nodejs npm)

installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF "$package installed" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "error: there is no apt-get here; install what matches these Debian packages," >&2
  echo "then build as docs/building.md says: ${missing[*]}" >&2
  exit 2
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "error: packages are missing, and only root can install them. Run as root:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 2
  fi
  as_root=(sudo)
fi

echo "Installing: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >>"$log" 2>&1; }
if ! { apt update && apt install -y --no-install-recommends "${missing[@]}"; }; then
  cat "$log" >&2
  echo "error: apt-get could not install: ${missing[*]}" >&2
  exit 2
fi
