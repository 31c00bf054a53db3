#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Clones the repository from $ADDRESS; the site shows the address itself if it is known.
set -eu
# [clone.begin]
git clone "$ADDRESS" kernel-library
cd kernel-library
# [clone.end]
git log --format=%s
