#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the Python functions of the most recently built library.
set -eu
# [stubs.begin]
tvm-ffi-stubgen row_scale/python --docs --dlls row_scale/build/wheel/librow_scale.so
# [stubs.end]
