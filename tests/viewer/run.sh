#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs a file of tests of the page in headless Chromium: bash run.sh FILE.js
set -eu
if ! "$PALPATE" --version | grep -q viewer; then
    if [ "$PAL_WITH_VIEWER" = OFF ]; then
        echo "skipped: configured without the viewer (PAL_WITH_VIEWER=OFF)"
        exit 77
    fi
    echo "this build has no viewer, although it was not configured without it: CMake tells why" >&2
    exit 1
fi
if [ ! -x /usr/bin/chromium ]; then
    echo "chromium is missing; scripts/deps.sh test" >&2
    exit 1
fi
exec node "tests/viewer/$1"
