#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds nvshmem_allocator.so in the current folder. $NVSHMEM_HOME is an installation of NVSHMEM, by default the wheel's:
# pip install nvidia-nvshmem-cu13
set -eu
here=$(dirname "$0")
# [build.begin]
where='import nvidia.nvshmem as wheel; print(list(wheel.__path__)[0])'
home=${NVSHMEM_HOME:-$(python3 -c "$where")}
${NVCC:-nvcc} -shared -Xcompiler -fPIC -O3 "$here/nvshmem_allocator.cu" -o nvshmem_allocator.so \
  -DNVSHMEM_HOSTLIB_ONLY -I"$home/include" \
  -L"$home/lib" -l:libnvshmem_host.so.3 -Xlinker -rpath -Xlinker "$home/lib" \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
