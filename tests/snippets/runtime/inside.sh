#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a project that contains the clone.
set -eu
# [inside.begin]
cmake -G Ninja -S inside -B build/inside
cmake --build build/inside --parallel
# [inside.end]
