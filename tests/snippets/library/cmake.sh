#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the copied library with CMake, in the folder that it was copied to.
set -eu
# [cmake.begin]
cmake -G Ninja -S library -B build -Dtvm_ffi_ROOT="$(tvm-ffi-config --cmakedir)"
cmake --build build
# [cmake.end]
