#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# palpate view in headless Chromium, from the gallery to a server that comes back.
exec bash tests/viewer/run.sh page.js
