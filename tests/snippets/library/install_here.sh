#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel that requires this project's package, which is installed, and installs it.
set -eu
# [install.begin]
pip wheel --no-deps --no-build-isolation -w dist ./library
pip install dist/vector_kernels-*.whl
python use.py
# [install.end]
