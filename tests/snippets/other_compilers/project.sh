#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lays out a kernel-builder project in the current folder, from the clone $CLONE.
set -eu
# [project.begin]
examples=$CLONE/examples/kernel_library
snippets=$CLONE/tests/snippets/other_compilers
mkdir -p scale/{scale_cpu,scale_cuda,tvm-ffi-ext/scale}
cp "$snippets/build.toml" "$examples/tvm_ffi_utils.h" scale/
cp "$examples/scale/scale_kernel.cc" scale/scale_cpu/
cp "$examples/scale/scale_kernel.cu" scale/scale_cuda/
cp "$snippets/scale_docs.cc" scale/tvm-ffi-ext/
cp "$snippets/scale/__init__.py" scale/tvm-ffi-ext/scale/
# [project.end]
