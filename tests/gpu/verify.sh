#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Verify examples, pages and the runtime on a GPU, without nox or a network: verify.sh --help
cd "$(dirname "$0")/../.." && exec "${PYTHON:-python3}" tests/gpu/verify.py "$@"
