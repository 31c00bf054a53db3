#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds storage_cuda.so in the current folder, for sm_80 and newer GPUs.
set -eu
here=$(dirname "$0")
# [build.begin]
${NVCC:-nvcc} -shared -Xcompiler -fPIC -O3 "$here/storage_kernel.cu" -o storage_cuda.so \
  -gencode arch=compute_80,code=sm_80 -gencode arch=compute_89,code=sm_89 \
  -gencode arch=compute_90,code=sm_90 \
  -gencode arch=compute_100,code=[sm_100,compute_100] -gencode arch=compute_120,code=sm_120 \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
