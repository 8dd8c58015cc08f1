#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The server of palpate view from outside a browser: who is let in, what is refused, and that it goes
# on whatever a client says.
set -eu
if ! "$PALPATE" --version | grep -q viewer; then
    "$PALPATE" view scenes/touch.yaml 2> /dev/null && exit 1
    if [ "$PAL_WITH_VIEWER" = OFF ]; then
        echo "skipped: configured without the viewer (PAL_WITH_VIEWER=OFF)"
        exit 77
    fi
    echo "this build has no viewer, although it was not configured without it: CMake tells why" >&2
    exit 1
fi
exec python3 tests/app/view_client.py
