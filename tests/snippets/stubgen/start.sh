#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a library, and makes a Python package for what it registers.
set -eu
# [build.begin]
g++ -shared -fPIC -O2 -o libmy_kernels.so my_kernels.cc \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
# [start.begin]
tvm-ffi-stubgen python --dlls ./libmy_kernels.so \
  --init-pypkg my-kernels --init-lib my_kernels --init-prefix my_kernels.
# [start.end]
