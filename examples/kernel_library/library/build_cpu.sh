#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds library_cpu.so in the current folder, for the CPU only.
set -eu
here=$(dirname "$0")
# [build.begin]
g++ -shared -fPIC -O3 -fvisibility=hidden -o library_cpu.so \
  "$here"/src/{axpy,lerp,vecdot}_cpu.cc "$here"/src/{binding,without_cuda}.cc \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
