#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate bench compliance: what is felt through a wire is within 5 % of everything at 1 kHz, and only
# the method's own terms, or both wrong ones, agree at rest.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$PALPATE" bench compliance --quick --json > "$out/report"
python3 - "$out/report" <<'END'
import json, sys
cases = json.load(open(sys.argv[1]))["benchmarks"][0]["cases"]
found = {c["name"]: c for c in cases}
for what in ("wire tip", "lying wire"):
    case = found[f"impedance error, {what}, 10 Hz"]
    assert case["ours"] <= 5 and case["baseline"] > 50, case
differ = lambda terms: found[f"at rest: {terms}: force difference"]["ours"]
assert differ("W(dt), correction") < 1 and differ("W(low_dt), no correction") < 1
assert differ("W(low_dt), correction") > 10 and differ("W(dt), no correction") > 10
assert any(c["name"].startswith("tick, 50 elements") and c["ours"] > 0 for c in cases)
END
