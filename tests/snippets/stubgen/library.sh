#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the wrappers of the example library anew; library_cpu.so is what build_cpu.sh made of it.
set -eu
# [library.begin]
tvm-ffi-stubgen library/python --dlls ./library_cpu.so
# [library.end]
