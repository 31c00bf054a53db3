#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the published package instead of this one, in a virtual environment.
set -eu
# [install.begin]
CLONE=$PWD  # the pages copy examples from it
python3 -m venv .venv
. .venv/bin/activate
pip install apache-tvm-ffi numpy
# [install.end]
test -d "$CLONE"/.venv
pip list --format=freeze
bash "$EXAMPLE"/build_cpu.sh
python - <<END
import numpy
import tvm_ffi

x = numpy.array([1.0, 2.0, 3.0], dtype="float32")
y = numpy.empty_like(x)
tvm_ffi.load_module("./add_one_cpu.so").add_one(x, y)
print(tvm_ffi.__file__)
print(y.tolist())
END
