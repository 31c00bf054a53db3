#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the reader's own kernel for both devices, and tests it on those available.
set -eu
# [test.begin]
bash elu/build_cpu.sh &&
  bash elu/build_cuda.sh &&  # needs nvcc, but no GPU
  python -m pytest -rs elu/elu_test.py
# [test.end]
