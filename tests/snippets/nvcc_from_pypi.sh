#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs NVIDIA's compiler in the active virtual environment, and sets its path.
set -eu
# [install.begin]
pip install 'nvidia-cuda-nvcc<14' 'nvidia-cuda-runtime<14' 'nvidia-cuda-cccl<14'
export NVCC=$(python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/nvidia/cu13/bin/nvcc
export CUDACXX=$NVCC
# [install.end]
bash "$CLONE"/examples/kernel_library/add_one/build_cuda.sh
