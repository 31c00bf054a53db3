#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a kernel named elu from the example scale of the clone $CLONE; builds and runs it.
set -eu
# [rename.begin]
name=elu  # the kernel's name: of its files, its function, its library
cp -r "$CLONE"/examples/kernel_library/{scale,tvm_ffi_utils.h} .
mv scale $name
(cd $name && for file in *scale*; do mv $file ${file/scale/$name}; done)
sed -i "s/scale/$name/g; s/${name}d\b/${name}_new/g" $name/*
bash $name/build_cpu.sh
python $name/load_$name.py  # elu_cpu.so gives the right results
# [rename.end]
