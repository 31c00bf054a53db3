#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles scale.mojo in the current folder.
set -eu
# [build.begin]
mojo build --emit shared-lib --target-cpu x86-64-v3 -Xlinker -Bsymbolic \
  -Xlinker "-L$(tvm-ffi-config --libdir)" -Xlinker -ltvm_ffi scale.mojo -o scale.so
# [build.end]
