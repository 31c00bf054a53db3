#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the copied library's wheel with setuptools, in isolation, and uses it here.
set -eu
# [wheel.begin]
pip wheel --no-deps -w dist ./library
pip install --upgrade --no-deps --target site dist/vector_kernels-*.whl
PYTHONPATH=site python use.py
# [wheel.end]
