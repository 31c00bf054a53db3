#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds add_one with the package in a folder whose name has a space.
set -eu
# [spaces.begin]
eval "g++ -shared -fPIC -O3 add_one/add_one_kernel.cc -o add_one_cpu.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs)"
# [spaces.end]
