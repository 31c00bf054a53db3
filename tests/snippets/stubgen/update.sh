#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Regenerates the blocks of all files of the package.
set -eu
# [update.begin]
tvm-ffi-stubgen python --dlls ./libmy_kernels.so
# [update.end]
