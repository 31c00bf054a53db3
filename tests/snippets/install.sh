#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the package from a clone of the repository, in a virtual environment.
set -eu
# [install.begin]
CLONE=$PWD  # the pages copy examples from it
python3 -m venv .venv
. .venv/bin/activate
pip install . numpy
# [install.end]
test -d "$CLONE"/python/tvm_ffi
pip show tvm-ffi-kernel-library
tvm-ffi-config --includedir
python -c "import tvm_ffi; print(tvm_ffi.__version__)"
