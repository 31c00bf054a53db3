#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails if a block of the package is out of date.
set -eu
# [check.begin]
tvm-ffi-stubgen python --dlls ./libmy_kernels.so --check
# [check.end]
