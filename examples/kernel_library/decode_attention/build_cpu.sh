#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds decode_attention_cpu.so in the current folder.
set -eu
here=$(dirname "$0")
# [build.begin]
g++ -shared -fPIC -O3 "$here/decode_attention_kernel.cc" -o decode_attention_cpu.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
