#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel, installs it in an otherwise empty environment, and uses it there.
# $RUNTIME is where pip installs the runtime from.
set -eu
# [wheel.begin]
pip wheel --no-build-isolation --no-deps -w dist ./row_scale
python3 -m venv bare
bare/bin/pip install "$RUNTIME" numpy dist/row_scale-*.whl
bare/bin/python use.py
# [wheel.end]
