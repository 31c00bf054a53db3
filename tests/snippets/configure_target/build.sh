#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a library and the Python files for what it registers, in the folder of its sources.
set -eu
# [build.begin]
cmake -G Ninja -S . -B build -Dtvm_ffi_ROOT="$(tvm-ffi-config --cmakedir)"
cmake --build build
# [build.end]
