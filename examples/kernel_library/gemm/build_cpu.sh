#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds gemm_cpu.so in the current folder.
set -eu
here=$(dirname "$0")
# [build.begin]
g++ -shared -fPIC -O3 "$here/gemm_kernel.cc" -o gemm_cpu.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
