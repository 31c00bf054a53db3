#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds standardize.so in the current folder, which holds the sources and the utility header;
# $NVTX is the folder of the header nvtx3/nvToolsExt.h.
set -eu
# [build.begin]
g++ -shared -fPIC -O3 $(tvm-ffi-config --cxxflags) -isystem "$NVTX" standardize.cc \
  -o standardize.so $(tvm-ffi-config --ldflags --libs)
# [build.end]
