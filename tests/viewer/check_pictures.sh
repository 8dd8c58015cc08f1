#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate view at every size, and with every scene that is shipped.
exec bash tests/viewer/run.sh pictures.js
