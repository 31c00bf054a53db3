#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds gemm_cuda.so in the current folder. $CUTLASS_PATH is a copy of CUTLASS, by default the wheel's:
# pip install --no-deps nvidia-cutlass
set -eu
here=$(dirname "$0")
# [build.begin]
where='import cutlass_library; print(cutlass_library.source_path)'
cutlass=${CUTLASS_PATH:-$(python3 -c "$where")}
# NDEBUG: assertions would add function calls, which stall the tensor cores.
common="-c -Xcompiler -fPIC,-fvisibility=hidden -O3 -std=c++17 -DNDEBUG -isystem $cutlass/include"
# Each kernel only for the GPUs that run it; sm_80's PTX is for those other than 8.x and 9.0.
${NVCC:-nvcc} $common "$here/src/gemm_sm80.cu" -o gemm_sm80.o \
  -gencode arch=compute_80,code=[sm_80,compute_80]
${NVCC:-nvcc} $common "$here/src/gemm_sm90a.cu" -o gemm_sm90a.o \
  -gencode arch=compute_90a,code=sm_90a
${NVCC:-nvcc} $common "$here/src/gemm.cu" -o gemm.o \
  -gencode arch=compute_80,code=sm_80 -gencode arch=compute_89,code=sm_89 \
  -gencode arch=compute_90,code=sm_90 \
  -gencode arch=compute_100,code=[sm_100,compute_100] -gencode arch=compute_120,code=sm_120 \
  $(tvm-ffi-config --cxxflags)
${NVCC:-nvcc} -shared -arch=sm_80 gemm_sm80.o gemm_sm90a.o gemm.o -o gemm_cuda.so \
  $(tvm-ffi-config --ldflags --libs)
rm gemm_sm80.o gemm_sm90a.o gemm.o
# [build.end]
