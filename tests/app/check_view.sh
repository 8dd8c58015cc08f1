#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The server of palpate view from outside a browser: who is let in, what is refused, and that it goes
# on whatever a client says.
set -eu
if ! "$PALPATE" --version | grep -q viewer; then
    "$PALPATE" view scenes/touch.yaml 2> /dev/null && exit 1
    echo "this build has no viewer, and says so"
    exit 0
fi
exec python3 tests/app/view_client.py
