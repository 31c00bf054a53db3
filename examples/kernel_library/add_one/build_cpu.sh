#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds add_one_cpu.so in the current folder.
set -eu
here=$(dirname "$0")
# [build.begin]
g++ -shared -fPIC -O3 "$here/add_one_kernel.cc" -o add_one_cpu.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
