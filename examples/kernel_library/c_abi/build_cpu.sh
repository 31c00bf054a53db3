#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds c_abi_cpu.so in the current folder, with a C compiler.
set -eu
here=$(dirname "$0")
# [build.begin]
gcc -std=c99 -shared -fPIC -O3 "$here/c_abi_kernel.c" -o c_abi_cpu.so \
  $(tvm-ffi-config --cflags --ldflags --libs)
# [build.end]
