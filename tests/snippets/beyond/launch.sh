#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a PyTorch program in two processes on this machine.
set -eu
# [launch.begin]
python3 -m torch.distributed.run --standalone --nproc-per-node 2 "$1"
# [launch.end]
