#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a wheel of the copied library with the published package, and installs and uses it.
set -eu
# [wheel.begin]
pip wheel --no-deps -w dist ./library
# [wheel.end]
# [install.begin]
python3 -m venv fresh
fresh/bin/pip install numpy dist/vector_kernels-*.whl
fresh/bin/python use.py
# [install.end]
