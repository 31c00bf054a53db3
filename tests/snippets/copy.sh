#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies an example from the clone $CLONE into the current folder, builds and runs it.
set -eu
# [add_one.begin]
mkdir ../my-kernels
cd ../my-kernels
cp -r "$CLONE"/examples/kernel_library/{add_one,tvm_ffi_utils.h} .
bash add_one/build_cpu.sh
python add_one/load_add_one.py
# [add_one.end]
# [scale.begin]
cp -r "$CLONE"/examples/kernel_library/{scale,tvm_ffi_utils.h} .
bash scale/build_cpu.sh
python scale/load_scale.py
# [scale.end]
# [softmax.begin]
cp -r "$CLONE"/examples/kernel_library/{softmax,tvm_ffi_utils.h} .
bash softmax/build_cpu.sh       # or: build_cuda.sh
python softmax/load_softmax.py  # or: load_softmax.py cuda
# [softmax.end]
