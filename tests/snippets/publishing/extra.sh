#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs one of the wheels by an extra, in an otherwise empty environment, and uses it.
set -eu
# [extra.begin]
python3 -m venv fresh
fresh/bin/pip install numpy apache-tvm-ffi
fresh/bin/pip install --no-index --find-links dist 'vector-kernels[cu12]'
fresh/bin/python use.py
# [extra.end]
