#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the three wheels with the installed tools. CUDA_12 and CUDA_13 are paths of nvcc.
set -eu
# [wheels.begin]
CUDACXX=$CUDA_12 pip wheel --no-deps --no-build-isolation -w dist ./cu12
CUDACXX=$CUDA_13 pip wheel --no-deps --no-build-isolation -w dist ./cu13
pip wheel --no-deps --no-build-isolation -w dist ./both
# [wheels.end]
