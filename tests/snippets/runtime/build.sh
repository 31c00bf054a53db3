#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds libtvm_ffi from a clone with only CMake and installs it; builds and runs a program with it.
set -eu
# [runtime.begin]
cmake -G Ninja -S clone -B build/runtime -DCMAKE_BUILD_TYPE=Debug
cmake --build build/runtime --parallel
cmake --install build/runtime --prefix "$PWD/prefix"
# [runtime.end]
# [program.begin]
cmake -G Ninja -S program -B build/program -Dtvm_ffi_ROOT="$PWD/prefix"
cmake --build build/program
./build/program/host ./build/program/libkernel.so
# [program.end]
