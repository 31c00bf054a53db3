#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies the kernels into a project. $CLONE is a clone of this repository.
set -eu
# [copy.begin]
mkdir -p gated/src gated/gated_kernels
cp "$CLONE/examples/kernel_library/tvm_ffi_utils.h" gated/src
cp -r "$CLONE/examples/kernel_library/silu_and_mul" gated/src
# [copy.end]
