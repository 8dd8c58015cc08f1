#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate view with soft bodies, tools, wires and fingers, and their recordings.
exec bash tests/viewer/run.sh bodies.js
