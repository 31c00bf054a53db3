#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same with this project's package, which is installed, as are CMake, Ninja and
# scikit-build-core.
set -eu
# [wheel.begin]
pip wheel --no-deps --no-build-isolation -w dist ./library
pip install --upgrade --no-deps --target site dist/vector_kernels-*.whl
PYTHONPATH=site python use.py
# [wheel.end]
