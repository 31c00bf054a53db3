#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Removes a safeguard from a kernel, in the clone $CLONE.
set -eu
cd "$CLONE"
# [run.begin]
python tests/snippets/break_it/break_it.py contiguity
# [run.end]
