#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the tools that make, build and test a project.
set -eu
# [tools.begin]
pip install 'copier>=9.4,<10' scikit-build-core cmake ninja numpy pytest torch
# [tools.end]
