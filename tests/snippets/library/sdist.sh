#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs the sources of the copied library; needs build from PyPI.
set -eu
# [sdist.begin]
python -m build --sdist --no-isolation --skip-dependency-check -o dist ./library
# [sdist.end]
