#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies the kernel, the adapter and its Python module. $CLONE is a clone of this repository.
set -eu
# [copy.begin]
cp -r "$CLONE"/examples/kernel_library/{jax_call,tvm_ffi_utils.h} rotate
mv rotate/jax_call/jax_call.py rotate/rotate_kernels
# [copy.end]
