#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the library from its source and the utility header in the current folder.
set -eu
# [build.begin]
g++ -std=c++17 -O1 -fPIC -shared $(tvm-ffi-config --cxxflags) library.cc \
  -o silu.so $(tvm-ffi-config --ldflags --libs)
# [build.end]
