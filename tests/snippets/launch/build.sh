#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds launch_features.so in the current folder, which holds the sources and the utility header.
set -eu
# [build.begin]
${NVCC:-nvcc} -shared -Xcompiler -fPIC -O3 -o launch_features.so \
  shared_memory.cu persistent.cu cooperative.cu cluster.cu dependent.cu \
  -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
  -gencode arch=compute_100,code=[sm_100,compute_100] \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
