#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate solve: the report, the forces, every solver, the curves, and what it refuses.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# A block of 10 N on a floor, pulled sideways with 3 N; friction 0.5 holds it. W = 1 m/N.
cat > "$out/block.txt" <<'END'
palpate-problem 1
rows 3
block cone 3 mu 0.5
matrix symmetric
1
0 1
0 0 1
gap -10 3 0
END

for solver in automatic gauss-seidel conjugate direct newton; do
    "$PALPATE" solve "$out/block.txt" --solver $solver --json --out "$out/lambda" > "$out/json"
    python3 - "$out/json" "$out/lambda" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
forces = [float(line) for line in open(sys.argv[2])]
assert report["rows"] == 3 and report["outcome"] == "converged", report
assert report["residual_relative"] <= 1e-10 and report["time_us"] > 0, report
assert all(abs(a - b) < 1e-8 for a, b in zip(forces, [10, -3, 0], strict=True)), forces
END
done
"$PALPATE" solve "$out/block.txt" | grep -q '^outcome   converged'

# What was written reads back, and needs no sweep from its own forces.
"$PALPATE" solve "$out/block.txt" --convert "$out/again.txt" > /dev/null
"$PALPATE" solve "$out/again.txt" --warm | grep -q '^sweeps    0$'

# Bodies and rows instead of a matrix: every solver has the same forces. A box of 1 kg falls on the
# floor by 10 um within a step, and pulls another one sideways.
cat > "$out/bodies.txt" <<'END'
palpate-problem 1
rows 4
step 0.001
bodies 2
body mass 1 0.01 0 0.01 0 0 0.01
body inverse 0.5 50 0 50 0 0 50
block cone 3 mu 0.5 between 0 world
block bilateral 1 between 1 0
jacobian
0 0 1 0 0 0  0 0 0 0 0 0
1 0 0 0 0 0  0 0 0 0 0 0
0 1 0 0 0 0  0 0 0 0 0 0
1 0 0 0 0 0  -1 0 0 0 0 0
gap -1e-5 0 0 -3e-6
END
for solver in automatic gauss-seidel conjugate direct newton; do
    "$PALPATE" solve "$out/bodies.txt" --solver $solver --json --out "$out/lambda" > "$out/json"
    python3 - "$out/json" "$out/lambda" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
forces = [float(line) for line in open(sys.argv[2])]
assert report["bodies"] == 2 and report["outcome"] == "converged", report
assert all(abs(a - b) < 1e-7 for a, b in zip(forces, [10, 5, 0, 16 / 3], strict=True)), forces
END
done
"$PALPATE" solve "$out/bodies.txt" --solver conjugate --convert "$out/again.txt" |
    grep -q '4 rows in 2 blocks between 2 bodies'
"$PALPATE" solve "$out/again.txt" --solver conjugate --warm | grep -q '^sweeps    0$'

# The curves: a column each, all of them end below the tolerance.
if command -v gnuplot > /dev/null; then
    "$PALPATE" solve "$PWD/tests/fuzz/seeds/problem/mixed.txt" --plot "$out/curves.svg" > /dev/null
    grep -q '<svg' "$out/curves.svg"
    python3 - "$out/curves.csv" <<'END'
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
assert rows[0] == ["sweep", "plain", "warm-started", "conjugate", "newton"], rows[0]
for column in range(1, 5):
    curve = [float(row[column]) for row in rows[1:] if row[column]]
    assert len(curve) >= 1 and curve[-1] <= 1e-10, (rows[0][column], curve)
END
else
    echo "skipped: the plot of the curves: gnuplot is not installed"
fi

refused() { # exit code, part of the message, arguments
    local expected=$1 part=$2 code=0
    shift 2
    "$PALPATE" solve "$@" > /dev/null 2> "$out/error" || code=$?
    [ "$code" = "$expected" ] || { echo "exit $code for $*"; exit 1; }
    grep -q -- "$part" "$out/error" || { cat "$out/error"; exit 1; }
}
refused 2 "no problem given"
refused 2 "nowhere.txt: cannot read" "$out/nowhere.txt"
refused 2 "did you mean 'newton'" "$out/block.txt" --solver neuton
sed -i 's/cone/coone/' "$out/block.txt"
refused 2 "block.txt:3:7: unknown law 'coone'; did you mean 'cone'" "$out/block.txt"
sed -i 's/body inverse 0.5/body inverse -0.5/' "$out/bodies.txt"
refused 2 "bodies.txt:6:13: no body has this mass" "$out/bodies.txt"

# The benchmark: every case has a time, and the residual was reached (it fails otherwise).
"$PALPATE" bench solve --quick --json > "$out/bench"
python3 - "$out/bench" <<'END'
import json, sys
cases = json.load(open(sys.argv[1]))["benchmarks"][0]["cases"]
assert len(cases) >= 10 and all(case["ours"] > 0 for case in cases), cases
END
