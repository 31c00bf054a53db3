#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and installs the project in this environment, and tests it.
set -eu
# [build.begin]
cd row_scale
pip install --no-build-isolation --no-deps .
pytest
# [build.end]
