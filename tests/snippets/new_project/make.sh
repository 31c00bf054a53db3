#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a project whose wheel requires this project's runtime.
set -eu
# [make.begin]
tvm-ffi new row_scale --runtime tvm-ffi-kernel-library
# [make.end]
