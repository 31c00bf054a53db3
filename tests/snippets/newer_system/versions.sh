#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the newest version that a library of the system provides.
set -eu
LIBRARY=$1 NAME=$2
# [provided.begin]
readelf -V "$LIBRARY" | grep -oE "$NAME"'_[0-9.]+[0-9]' | sort -uV | tail -n 1
# [provided.end]
