#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Grades an exercise in the clone $CLONE; unsolved, it fails.
set -eu
# [grade.begin]
cd "$CLONE"/tests/snippets/exercises
python grade.py tail
# [grade.end]
