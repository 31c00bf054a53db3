# SPDX-License-Identifier: Apache-2.0
# Builds the library from all its files.
set -eu
sources=$1
# [build.begin]
g++ -shared -fPIC -O3 "$sources"/*.cc -o many_kernels.so \
  $(tvm-ffi-config --cxxflags --ldflags --libs)
# [build.end]
