#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the kernel for the CPU with the C++ library inside it.
set -eu
# [link.begin]
g++ -shared -fPIC -O3 scale/scale_kernel.cc -o scale_cpu.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs) \
  -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL
# [link.end]
