#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs a file of tests of the page in headless Chromium: bash run.sh FILE.js
set -eu
if ! "$PALPATE" --version | grep -q viewer; then
    echo "this build has no viewer: nothing to test"
    exit 0
fi
if [ ! -x /usr/bin/chromium ]; then
    echo "chromium is missing; scripts/deps.sh test" >&2
    exit 1
fi
exec node "tests/viewer/$1"
