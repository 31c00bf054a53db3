#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds torch_op_cpu.so in the current folder.
# -fno-trapping-math changes no result; g++ can then vectorize a product that not all elements need.
set -eu
here=$(dirname "$0")
# [build.begin]
g++ -shared -fPIC -O3 -fno-trapping-math "$here/torch_op_kernel.cc" -o torch_op_cpu.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
