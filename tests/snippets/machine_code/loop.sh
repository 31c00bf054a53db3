#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles scale, and prints what the kernel for aligned float32 tensors loads, computes and stores.
set -eu
# [loop.begin]
${NVCC:-nvcc} -cubin -arch=sm_90 -O3 scale/scale_kernel.cu -o scale.cubin \
  $(tvm-ffi-config --cxxflags)
nvdisasm -c scale.cubin > scale.sass
sed -n '/^\.text.*scale_vectorsIfLi4E/,/EXIT/p' scale.sass \
  | grep -oE '(@!?P[0-9] )?(LDG|FMUL|STG)[^;]*[^ ;]|(@!?P[0-9] )?BRA'
# [loop.end]
