#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the copied library require this project's package instead of the published one.
set -eu
# [choose.begin]
sed -i 's/apache-tvm-ffi>=0.1.15/tvm-ffi-kernel-library/' library/pyproject.toml
# [choose.end]
