#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds library_cuda.so in the current folder: CPU and GPU, for sm_80, sm_90 and, by PTX, what comes after them.
set -eu
here=$(dirname "$0")
# [build.begin]
${NVCC:-nvcc} -shared -Xcompiler -fPIC,-fvisibility=hidden -O3 -o library_cuda.so \
  "$here"/src/{axpy,lerp,vecdot}_{cpu.cc,cuda.cu} "$here"/src/binding.cc \
  -gencode arch=compute_80,code=sm_80 \
  -gencode arch=compute_90,code=[sm_90,compute_90] \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
