#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate view with rigid bodies that move.
exec bash tests/viewer/run.sh rigid.js
