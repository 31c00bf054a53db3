#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the copied library so that changes to its Python files take effect at once.
set -eu
# [editable.begin]
pip install --no-build-isolation --no-deps -e ./library
# [editable.end]
