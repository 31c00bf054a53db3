#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds silu_and_mul_cpu.so in the current folder.
set -eu
here=$(dirname "$0")
# [build.begin]
g++ -shared -fPIC -O3 "$here/silu_and_mul_kernel.cc" -o silu_and_mul_cpu.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
