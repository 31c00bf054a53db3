#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the copied example with CMake, in the folder that it was copied to.
set -eu
# [cmake.begin]
cmake -G Ninja -S scale -B build
cmake --build build
# [cmake.end]
