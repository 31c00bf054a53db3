#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the wheel in an otherwise empty environment, and uses it there.
set -eu
# [install.begin]
python3 -m venv fresh
fresh/bin/pip install numpy dist/vector_kernels-*.whl
fresh/bin/python use.py
# [install.end]
