// SPDX-License-Identifier: Apache-2.0
// out = activation(alpha * a @ b + bias) on a GPU: the checks, and the choice
// between two ways to use its tensor cores. Build with build_cuda.sh, run with
// load_gemm.py.

// [includes.begin]
#include "../gemm_checks.h"
// [includes.end]

namespace {

// [bias_kernel.begin]
// The result where k is 0: activation(bias) in each row, 16 bytes at a time.
template <typename T>
__global__ void bias_kernel(Problem p, const T* bias, T* out) {
  using Items = Vector<T>;
  const int64_t vectors = p.n / Items::kSize;  // of a row
  const int64_t all = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       i < int64_t{p.batch} * p.m * vectors; i += all) {
    const int64_t row = i / vectors;
    const int64_t column = i % vectors * Items::kSize;
    Items items = {};
    if (bias) items = *reinterpret_cast<const Items*>(bias + column);
    for (T& item : items.items)
      item = static_cast<T>(activate(static_cast<float>(item), p.activation));
    store(out + row / p.m * p.batch_step_out + row % p.m * p.step_out + column,
          items);
  }
}

template <typename T>
void write_bias(const Problem& p, cudaStream_t stream) {
  constexpr int kThreads = 256;
  const unsigned blocks =
      blocks_for(int64_t{p.batch} * p.m * p.n / Vector<T>::kSize, kThreads);
  bias_kernel<T><<<blocks, kThreads, 0, stream>>>(
      p, static_cast<const T*>(p.bias), static_cast<T*>(p.out));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
// [bias_kernel.end]

// [capability.begin]
// The compute capability of the matrices' GPU: 80 for 8.0.
int capability_of(const ffi::TensorView& x) {
  int major = 0, minor = 0;
  const int device = x.device().device_id;
  TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceGetAttribute(
      &major, cudaDevAttrComputeCapabilityMajor, device));
  TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceGetAttribute(
      &minor, cudaDevAttrComputeCapabilityMinor, device));
  return 10 * major + minor;
}

// sm_90a runs on capability 9.0 only; the PTX of sm_80 runs on all from 8.0 on.
#define CHECK_CAPABILITY(a)                                              \
  do {                                                                   \
    const int capability = capability_of(a);                             \
    CHECK_OR_THROW(capability >= 80, ValueError, a,                      \
                   "on a GPU of compute capability 8.0 or newer",        \
                   capability / 10 << '.' << capability % 10);           \
    CHECK_OR_THROW(!is_float8(a) || capability == 90, TypeError, a,      \
                   "float16 or bfloat16 on a GPU of compute capability " \
                       << capability / 10 << '.' << capability % 10,     \
                   text_of((a).dtype()));                                \
  } while (0)
// [capability.end]

// [choose.begin]
bool is_empty(const Problem& p) {
  return p.batch == 0 || p.m == 0 || p.n == 0 || p.k == 0;
}

int64_t workspace_bytes(const Problem& p, int capability) {
  if (is_empty(p)) return 0;
  return static_cast<int64_t>(capability == 90 ? workspace_of_sm90a(p)
                                               : workspace_of_sm80(p));
}

void multiply(const Problem& p, int capability, void* workspace,
              cudaStream_t stream) {
  const char* failure = capability == 90 ? run_sm90a(p, workspace, stream)
                                         : run_sm80(p, workspace, stream);
  if (failure == nullptr) return;
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  TVM_FFI_THROW(RuntimeError) << "gemm: CUTLASS refuses: " << failure;
}
// [choose.end]

}  // namespace

// [workspace_size.begin]
int64_t gemm_workspace_size(ffi::TensorView a, ffi::TensorView b,
                            ffi::TensorView out) {
  CHECK_CUDA(a);
  CHECK_MATRICES(a, b, out);
  CHECK_CAPABILITY(a);
  ffi::CUDADeviceGuard guard(a.device().device_id);
  return workspace_bytes(problem_of(a, b, out), capability_of(a));
}
// [workspace_size.end]

// [function.begin]
// This parameter order lets a caller omit the last ones.
void gemm(ffi::TensorView a, ffi::TensorView b, ffi::TensorView out,
          ffi::TensorView workspace, double alpha, ffi::String activation,
          ffi::Optional<ffi::TensorView> maybe_bias,
          ffi::Optional<ffi::TensorView> maybe_scale_a,
          ffi::Optional<ffi::TensorView> maybe_scale_b) {
  CHECK_CUDA(a);
  CHECK_MATRICES(a, b, out);
  CHECK_CAPABILITY(a);
  ffi::CUDADeviceGuard guard(a.device().device_id);
  const int capability = capability_of(a);
  Problem problem = problem_of(a, b, out);
  CHECK_WORKSPACE(workspace, workspace_bytes(problem, capability), a, b, out);
  TAKE_OTHERS(problem, alpha, activation, a, out, workspace);
  cudaStream_t stream = get_stream(a);
  if (out.numel() == 0) return;
  if (!is_empty(problem)) {
    multiply(problem, capability, data_of<void>(workspace), stream);
  } else if (problem.type == Problem::Type::kFloat16) {
    write_bias<float16>(problem, stream);
  } else {
    write_bias<bfloat16>(problem, stream);
  }
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(gemm_workspace_size, gemm_workspace_size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(gemm, gemm);
// [export.end]
