#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Regenerates the wrappers of the example library; library_cpu.so was built by build_cpu.sh.
set -eu
# [library.begin]
tvm-ffi-stubgen library/python --dlls ./library_cpu.so
# [library.end]
