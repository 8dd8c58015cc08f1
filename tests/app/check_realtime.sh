#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate run --realtime: with and without permission, on a loaded machine; and that summary.json has
# every quantity that other tools rely on, in either mode.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 777 "$folder"

# A program that is not root may not be allowed to read the build tree.
cp "$PALPATE" "$folder/palpate"
cp -r scenes "$folder"
cd "$folder"

check_recording()
{
    python3 - "$1" "$2" << 'PYTHON'
import csv, json, sys

folder, mode = sys.argv[1:]
with open(folder + "/summary.json") as file:
    summary = json.load(file)
with open(folder + "/haptic.csv") as file:
    rows = list(csv.DictReader(file))
with open(folder + "/low.csv") as file:
    low = list(csv.DictReader(file))

# The contract: names, units and members.
distributions = {
    "haptic_step_us": "us", "low_step_ms": "ms", "iterations": "1", "residual": "m",
    "surface_distance_mm": "mm", "penetration_mm": "mm", "force_N": "N", "force_jump_N": "N",
    "force_turn_deg": "deg",
}
for name, unit in distributions.items():
    found = summary[name]
    assert found["unit"] == unit, (name, found)
    values = [found[member] for member in ("p50", "p99", "p999", "max")]
    assert values == sorted(values) and 0 <= found["mean"] <= found["max"], (name, found)
for name in ("scene", "method", "mode", "seed", "versions", "box_held_steps", "deadline_misses",
             "energy_J"):
    assert name in summary, name
assert summary["mode"] == mode, summary["mode"]
assert summary["energy_J"]["unit"] == "J"
assert summary["complete"] is True
assert 0 <= summary["deadline_misses"] <= summary["haptic_steps"]

columns = ("t dev_x dev_y dev_z proxy_x proxy_y proxy_z force_x force_y force_z torque_x torque_y "
           "torque_z constraints active iterations residual step_us snapshot_age_ms out_x out_y "
           "out_z").split()
assert list(rows[0])[:len(columns)] == columns, list(rows[0])
assert list(low[0])[:10] == ("t step_ms free_ms collide_ms compliance_ms solve_ms contacts "
                             "constraints iterations residual").split()

# Complete: every step has its row but those counted as dropped.
assert len(rows) == summary["haptic_steps"] - summary["records_dropped"], len(rows)
assert summary["haptic_steps"] == round(summary["seconds"] / summary["dt_s"])
times = [float(row["t"]) for row in rows]
assert all(a < b for a, b in zip(times, times[1:]))

# What the summary says of the force is what the rows say.
forces = sorted(sum(float(row["force_" + axis]) ** 2 for axis in "xyz") ** 0.5 for row in rows)
assert abs(forces[-1] - summary["force_N"]["max"]) <= 1e-9 * forces[-1], forces[-1]
middle = forces[(len(forces) - 1) // 2]
assert abs(middle - summary["force_N"]["p50"]) <= 0.02 * forces[-1], middle
contact = sum(int(row["active"]) > 0 for row in rows)
assert contact == summary["contact_steps"] > 0, contact
energy = sum(float(a["out_" + axis]) * (float(b["dev_" + axis]) - float(a["dev_" + axis]))
             for a, b in zip(rows, rows[1:]) for axis in "xyz")
assert abs(energy - summary["energy_J"]["final"]) <= 1e-9, energy

if mode == "realtime":
    assert summary["lateness_us"]["count"] == summary["haptic_steps"]
    bins = sum(one["count"] for one in summary["lateness_histogram"])
    assert bins == summary["haptic_steps"], bins
    # 1.5 s of steps cannot have taken less.
    assert 0 < summary["real_time_factor"] <= 1.05, summary["real_time_factor"]
PYTHON
}

./palpate run scenes/wall-simulated.yaml --seconds 1.5 --out lockstep --quiet
check_recording lockstep lockstep

./palpate run scenes/wall-simulated.yaml --realtime --seconds 1.5 --out plain > plain.txt 2>&1
check_recording plain realtime

# Both cores busy.
busy=()
for _ in 1 2; do
    (while :; do :; done) &
    busy+=($!)
done
trap 'kill "${busy[@]}" 2> /dev/null || true; rm -rf "$folder"' EXIT
./palpate run scenes/touch.yaml --method accurate --realtime --seconds 1.5 --out loaded > loaded.txt
check_recording loaded realtime
grep -q "deadlines missed" loaded.txt
kill "${busy[@]}"

# Without permission for SCHED_FIFO and locked memory: one warning that says what to do.
unprivileged=(prlimit --rtprio=0:0 --memlock=0:0)
[ "$(id -u)" = 0 ] && unprivileged+=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all)
if "${unprivileged[@]}" ./palpate --version > /dev/null 2>&1; then
    "${unprivileged[@]}" ./palpate run scenes/wall-simulated.yaml --realtime --seconds 1.5 \
        --out denied > denied.txt 2> denied.err
    check_recording denied realtime
    [ "$(grep -c 'palpate: warning: ' denied.err)" = 1 ] || { cat denied.err; exit 1; }
    grep -q "no permission for SCHED_FIFO.*ulimit -r" denied.err
else
    echo "skipped: the run without permissions: they cannot be dropped here"
fi
