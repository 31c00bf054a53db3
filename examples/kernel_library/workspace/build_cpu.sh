#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds workspace_cpu.so in the current folder.
set -eu
here=$(dirname "$0")
# [build.begin]
g++ -shared -fPIC -O3 "$here/workspace_kernel.cc" -o workspace_cpu.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
