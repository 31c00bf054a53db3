#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds silu_and_mul_cuda.so in the current folder, for sm_80, sm_90 and, by PTX, what comes after them.
set -eu
here=$(dirname "$0")
# [build.begin]
${NVCC:-nvcc} -shared -Xcompiler -fPIC -O3 "$here/silu_and_mul_kernel.cu" -o silu_and_mul_cuda.so \
  -gencode arch=compute_80,code=sm_80 \
  -gencode arch=compute_90,code=[sm_90,compute_90] \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
