#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds quantize_fp8_cpu.so in the current folder.
set -eu
here=$(dirname "$0")
# [build.begin]
g++ -shared -fPIC -O3 "$here/quantize_fp8_kernel.cc" -o quantize_fp8_cpu.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
