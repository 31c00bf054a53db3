#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Say hello.
echo hello
