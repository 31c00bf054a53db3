#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Build scale_cuda.so in the current folder.
set -euo pipefail
"${NVCC:-nvcc}" ${NVCC_APPEND_FLAGS:-} -shared -fPIC -o scale_cuda.so "$(dirname "$0")/scale_kernel.cu"
