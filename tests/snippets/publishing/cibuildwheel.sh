#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lists what cibuildwheel would build for the copied library. Needs cibuildwheel from PyPI.
set -eu
cat cibuildwheel.toml >> library/pyproject.toml
# [identifiers.begin]
cibuildwheel --platform linux --archs x86_64,aarch64 --print-build-identifiers ./library
# [identifiers.end]
