#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles with a host compiler other than the default; the lines after it do so in other ways.
set -eu
# [flag.begin]
nvcc -ccbin g++-14 -c kernel.cu -o kernel.o
# [flag.end]
# [variables.begin]
export NVCC_CCBIN=g++-14                   # every command of nvcc without -ccbin
export NVCC_PREPEND_FLAGS='-ccbin g++-14'  # the same; TVM FFI's builds run again if it changes
export CUDAHOSTCXX=g++-14                  # CMake, when it configures a build folder for the first time
# [variables.end]
