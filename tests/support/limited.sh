#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# limited.sh SECONDS COMMAND...: runs a test whose processes may use that much processor time each. On
# a busy machine a test takes longer, but not more of this.
seconds=$1
shift
if [ -n "${PAL_SKIP:-}" ]; then
    echo "skipped: $PAL_SKIP"
    exit 77
fi
ulimit -S -t "$seconds" || exit
exec "$@"
