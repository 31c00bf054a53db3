#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the C kernel and the C++ host program from the sources in the current folder, and runs
# the host with the kernel's library.
set -eu
# [kernel.begin]
gcc -std=c99 -O2 -Wall -Wextra -shared -fPIC $(tvm-ffi-config --cflags) kernel_in_c.c \
  -o kernel.so $(tvm-ffi-config --ldflags --libs)
# [kernel.end]
# [host.begin]
g++ -O2 -Wall -Wextra $(tvm-ffi-config --cxxflags) host_program.cc -o host \
  $(tvm-ffi-config --ldflags --libs) -Wl,-rpath,"$(tvm-ffi-config --libdir)"
./host ./kernel.so
# [host.end]
