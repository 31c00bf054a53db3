#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Verify the examples, the pages and the runtime on a GPU, without nox and without a network: verify.sh --help
cd "$(dirname "$0")/../.." && exec "${PYTHON:-python3}" tests/gpu/verify.py "$@"
