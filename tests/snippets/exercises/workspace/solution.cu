// SPDX-License-Identifier: Apache-2.0
// The solution of the exercise; run: python grade.py workspace --solution
#include "tvm_ffi_utils.h"

// count_values(x, counts, workspace) must count how many elements of x are 0,
// 1, 2 and so on. The workspace is the caller's memory, with any contents.
__global__ void count_kernel(const int64_t* x, unsigned* found, int64_t n,
                             int64_t bins) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < n; i += step) {
    if (x[i] >= 0 && x[i] < bins) atomicAdd(&found[x[i]], 1u);
  }
}

__global__ void widen_kernel(const unsigned* found, int64_t* counts,
                             int64_t bins) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < bins; i += step) counts[i] = found[i];
}

int64_t count_values_workspace_size(ffi::TensorView counts) {
  return counts.numel() * static_cast<int64_t>(sizeof(unsigned));
}

void count_values(ffi::TensorView x, ffi::TensorView counts,
                  ffi::TensorView workspace) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_int64);
  CHECK_CONTIGUOUS(x);
  CHECK_SAME_DEVICE(counts, x);
  CHECK_DTYPE(counts, dl_int64);
  CHECK_DIM(1, counts);
  CHECK_CONTIGUOUS(counts);
  CHECK_SAME_DEVICE(workspace, x);
  CHECK_CONTIGUOUS(workspace);
  const int64_t bytes = count_values_workspace_size(counts);
  CHECK_OR_THROW(workspace.numel() * item_size(workspace) >= bytes, ValueError,
                 workspace, "of at least " << bytes << " bytes",
                 workspace.numel() * item_size(workspace));
  CHECK_OR_THROW(is_aligned(data_of<char>(workspace), sizeof(unsigned)),
                 ValueError, workspace, "aligned to 4 bytes",
                 "another address");
  CHECK_APART(counts, x);
  CHECK_APART(workspace, x);
  CHECK_APART(workspace, counts);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  auto* found = data_of<unsigned>(workspace);
  const int64_t bins = counts.numel();
  // [solution.begin]
  if (bytes != 0) {
    TVM_FFI_CHECK_CUDA_ERROR(
        cudaMemsetAsync(found, 0, static_cast<size_t>(bytes), stream));
  }
  // [solution.end]
  count_kernel<<<blocks_for(x.numel(), 256), 256, 0, stream>>>(
      data_of<int64_t>(x), found, x.numel(), bins);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  widen_kernel<<<blocks_for(bins, 256), 256, 0, stream>>>(
      found, data_of<int64_t>(counts), bins);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(count_values_workspace_size,
                              count_values_workspace_size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count_values, count_values);
