#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the program c_abi_host in the current folder, and runs it with the library there.
set -eu
here=$(dirname "$0")
# [build.begin]
g++ -O2 "$here/host.cc" -o c_abi_host $(tvm-ffi-config --cxxflags --ldflags --libs) \
  -Wl,-rpath,"$(tvm-ffi-config --libdir)"
./c_abi_host ./c_abi_cpu.so
# [build.end]
