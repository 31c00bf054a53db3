#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds jax_call_cuda.so in the current folder, for sm_80 and newer GPUs, and
# jax_call_cuda_adapter.so where JAX is installed.
set -eu
here=$(dirname "$0")
# [build.begin]
flags=$(tvm-ffi-config --cxxflags --ldflags --libs)
${NVCC:-nvcc} -shared -Xcompiler -fPIC -O3 "$here/jax_call_kernel.cu" -o jax_call_cuda.so \
  -gencode arch=compute_80,code=sm_80 -gencode arch=compute_89,code=sm_89 \
  -gencode arch=compute_90,code=sm_90 \
  -gencode arch=compute_100,code=[sm_100,compute_100] -gencode arch=compute_120,code=sm_120 \
  $flags
# [build.end]

# [adapter.begin]
if headers=$(python3 -c 'import jax; print(jax.ffi.include_dir())' 2> /dev/null); then
  g++ -shared -fPIC -O2 -fvisibility=hidden -isystem "$headers" "$here/xla_adapter.cc" \
    -o jax_call_cuda_adapter.so $flags
fi
# [adapter.end]
