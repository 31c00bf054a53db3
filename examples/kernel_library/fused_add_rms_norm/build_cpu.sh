#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds fused_add_rms_norm_cpu.so in the current folder.
set -eu
here=$(dirname "$0")
# [build.begin]
g++ -shared -fPIC -O3 "$here/fused_add_rms_norm_kernel.cc" -o fused_add_rms_norm_cpu.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
