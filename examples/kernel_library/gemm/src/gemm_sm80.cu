// SPDX-License-Identifier: Apache-2.0
// The multiplication with mma.sync, through CUTLASS 2's device API, for GPUs of
// compute capability 8.0 and later. Compiled for sm_80 only, by build_cuda.sh.

// [includes.begin]
#include <cutlass/bfloat16.h>
#include <cutlass/epilogue/thread/linear_combination_generic.h>
#include <cutlass/gemm/device/gemm_universal.h>

#include "gemm_activation.cuh"
// [includes.end]

namespace {

// [kernel.begin]
using Rows = cutlass::layout::RowMajor;
using Columns = cutlass::layout::ColumnMajor;

// Four warps compute a 128 by 128 tile, a quarter each, 32 elements of k at a
// time, while the next three steps of k are being loaded.
template <typename T, typename LayoutB>
using Configured = cutlass::gemm::device::GemmUniversal<
    T, Rows, T, LayoutB, T, Rows, float, cutlass::arch::OpClassTensorOp,
    cutlass::arch::Sm80, cutlass::gemm::GemmShape<128, 128, 32>,
    cutlass::gemm::GemmShape<64, 64, 32>, cutlass::gemm::GemmShape<16, 8, 16>,
    cutlass::epilogue::thread::LinearCombinationGeneric<Activate, T, 8, float,
                                                        float>,
    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<8>, 4, 8, 8>;

// A name that fits on one line of a profiler.
template <typename T, typename LayoutB>
struct MmaSync : Configured<T, LayoutB>::GemmKernel {};
// [kernel.end]

// [run.begin]
template <typename T, typename LayoutB>
const char* run(const Problem& p, void* workspace, cudaStream_t stream) {
  using Gemm = cutlass::gemm::device::GemmUniversalBase<MmaSync<T, LayoutB>>;
  typename Gemm::EpilogueOutputOp::Params epilogue(p.alpha, p.bias ? 1.f : 0.f);
  epilogue.activation = p.activation;
  // The bias is a batch of matrices whose rows are all the same: its steps
  // are 0.
  typename Gemm::Arguments arguments(
      cutlass::gemm::GemmUniversalMode::kBatched, {p.m, p.n, p.k}, p.batch,
      epilogue, p.a, p.b, p.bias, p.out, p.batch_step_a, p.batch_step_b, 0,
      p.batch_step_out, p.step_a, p.step_b, 0, p.step_out);
  cutlass::Status status = Gemm::can_implement(arguments);
  Gemm gemm;
  if (status == cutlass::Status::kSuccess)
    status = gemm(arguments, workspace, stream);
  return status == cutlass::Status::kSuccess
             ? nullptr
             : cutlass::cutlassGetStatusString(status);
}

template <typename T>
const char* run(const Problem& p, void* workspace, cudaStream_t stream) {
  return p.b_columns ? run<T, Columns>(p, workspace, stream)
                     : run<T, Rows>(p, workspace, stream);
}
// [run.end]

}  // namespace

// [paths.begin]
// Each tile is computed by one block, from the first k to the last.
size_t workspace_of_sm80(const Problem&) { return 0; }

const char* run_sm80(const Problem& problem, void* workspace,
                     cudaStream_t stream) {
  return problem.type == Problem::Type::kFloat16
             ? run<cutlass::half_t>(problem, workspace, stream)
             : run<cutlass::bfloat16_t>(problem, workspace, stream);
}
// [paths.end]
