#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles axpy.cu of the current folder, and lists its instructions below their source lines.
set -eu
# [lines.begin]
${NVCC:-nvcc} -cubin -arch=sm_90 -O3 -lineinfo axpy.cu -o axpy.cubin
nvdisasm -g axpy.cubin > axpy.sass
# [lines.end]
