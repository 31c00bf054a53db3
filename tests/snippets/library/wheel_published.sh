#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a wheel of the copied library with the published package.
set -eu
# [wheel.begin]
pip wheel --no-deps -w dist ./library
# [wheel.end]
