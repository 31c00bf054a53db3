#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records a timeline of use.py of the current folder, and prints tables of it.
set -eu
# [profile.begin]
nsys profile --trace=cuda,nvtx --cuda-graph-trace=node --output=standardize \
  --force-overwrite=true python use.py
# [profile.end]
# [stats.begin]
nsys stats --report=nvtx_pushpop_sum,nvtx_gpu_proj_sum,cuda_gpu_kern_sum \
  --force-export=true standardize.nsys-rep
# [stats.end]
