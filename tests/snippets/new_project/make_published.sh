#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a project whose wheel requires the published runtime.
set -eu
# [make.begin]
tvm-ffi new row_scale --runtime apache-tvm-ffi
# [make.end]
