#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel with the installed tools, installs it in its own folder, and uses it.
set -eu
# [wheel.begin]
pip wheel --no-deps --no-build-isolation -w dist ./rotate
pip install --upgrade --no-deps --target site dist/rotate_kernels-*.whl
PYTHONPATH=site python use.py
# [wheel.end]
