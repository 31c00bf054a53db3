#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a project with another name from the example, with the utility header inside.
set -eu
# [rename.begin]
name=my_kernels
cp -r "$CLONE"/examples/kernel_library/library $name
cp "$CLONE"/examples/kernel_library/tvm_ffi_utils.h $name/src
cd $name
mv python/vector_kernels python/$name
sed -i "s/vector_kernels/$name/g; s/vector-kernels/${name//_/-}/g; s/VECTOR_KERNELS/${name^^}/g" \
  CMakeLists.txt pyproject.toml python/$name/__init__.py src/*
sed -i 's|../../tvm_ffi_utils.h|tvm_ffi_utils.h|' src/kernels.h
# [rename.end]
