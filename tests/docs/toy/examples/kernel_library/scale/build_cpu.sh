#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Build scale_cpu.so in the current folder.
set -euo pipefail
g++ -O1 -shared -fPIC -o scale_cpu.so "$(dirname "$0")/scale_kernel.cc"
