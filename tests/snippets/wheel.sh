#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the package's wheel in the root of the repository, with the build tools installed here.
set -eu
# [wheel.begin]
pip wheel --no-build-isolation --no-deps -w "$WHEELS" .
# [wheel.end]
