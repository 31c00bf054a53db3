#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Counts what a GPU does in one kernel of use.py in the current folder.
set -eu
# [profile.begin]
ncu --nvtx --nvtx-include=standardize/ --launch-skip=10 --launch-count=1 \
  --set=full --import-source=yes --export=standardize --force-overwrite python use.py
# [profile.end]
