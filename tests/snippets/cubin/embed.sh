# SPDX-License-Identifier: Apache-2.0
# Build axpy.so in the current folder from the sources in $SOURCES, with the toolkit in $CUDA.
set -eu

# [build.begin]
${NVCC:-nvcc} -cubin -arch=sm_90 "$SOURCES/axpy.cu" -o axpy.cubin
g++ -O2 -fPIC $(tvm-ffi-config --cxxflags) -I"$CUDA/include" -c "$SOURCES/axpy.cc" -o axpy.o
python -m tvm_ffi.utils.embed_cubin \
    --cubin axpy.cubin --name axpy_cubin --input-obj axpy.o --output-obj axpy_with_cubin.o
g++ -shared axpy_with_cubin.o -o axpy.so $(tvm-ffi-config --ldflags --libs) -L"$CUDA/lib64" -lcudart
# [build.end]

# [array.begin]
echo "static const unsigned char axpy_image[] = {" > axpy_cubin.h
od -An -v -tx1 axpy.cubin | sed -E 's/ (..)/0x\1,/g' >> axpy_cubin.h
echo "};" >> axpy_cubin.h
# [array.end]

# [loaded.begin]
g++ -O2 -fPIC -shared $(tvm-ffi-config --cxxflags) -I"$CUDA/include" "$SOURCES/axpy_loaded.cc" \
    -o axpy_loaded.so $(tvm-ffi-config --ldflags --libs) -L"$CUDA/lib64" -lcudart
# [loaded.end]
