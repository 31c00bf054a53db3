#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds streams_and_graphs_cpu.so in the current folder.
set -eu
here=$(dirname "$0")
# [build.begin]
g++ -shared -fPIC -O3 "$here/streams_and_graphs_kernel.cc" -o streams_and_graphs_cpu.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
