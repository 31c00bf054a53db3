// SPDX-License-Identifier: Apache-2.0
// The multiplication with TMA and wgmma, through CUTLASS 3's collectives, for
// GPUs of compute capability 9.0. Compiled for sm_90a only, by build_cuda.sh.

// [includes.begin]
#include <cutlass/bfloat16.h>
#include <cutlass/float8.h>
#include <cutlass/gemm/device/gemm_universal_adapter.h>

#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/epilogue/fusion/sm90_callbacks_tma_warpspecialized.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <cutlass/gemm/kernel/tile_scheduler.hpp>
#include <type_traits>

#include "gemm_activation.cuh"
// [includes.end]

namespace {

using Rows = cutlass::layout::RowMajor;
using Columns = cutlass::layout::ColumnMajor;

// [epilogue.begin]
namespace fusion = cutlass::epilogue::fusion;
constexpr auto kNearest = cutlass::FloatRoundStyle::round_to_nearest;

// activation(scale * sum + bias); the scale is a product of three numbers, each
// of which may be in GPU memory.
template <typename Out, typename Tile>
using Epilogue = fusion::Sm90EVT<
    fusion::Sm90Compute<Activate, Out, float, kNearest>,
    fusion::Sm90EVT<fusion::Sm90Compute<cutlass::homogeneous_multiply_add,
                                        float, float, kNearest>,
                    fusion::Sm90ScalarBroadcast<
                        float, cute::Stride<cute::_0, cute::_0, int64_t>, 3>,
                    fusion::Sm90AccFetch,
                    fusion::Sm90RowBroadcast<0, Tile, Out, float>>>;
// [epilogue.end]

// [kernel.begin]
// One warp issues TMA loads of tiles with 128 bytes of k, and two groups of
// four warps multiply them into a 128 by 128 tile. Both blocks of a cluster
// share the tile of b. Tiles that do not fill all multiprocessors in the last
// wave are split along k, and the parts are summed in the workspace: stream-K.
template <typename T, typename Out, typename LayoutB>
struct Parts {
  using Tile =
      cute::Shape<cute::_128, cute::_128, cute::Int<128 / int{sizeof(T)}>>;
  using Cluster = cute::Shape<cute::_2, cute::_1, cute::_1>;
  static constexpr int kAlignment = 16 / sizeof(T);
  using Stores = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
      cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, Rows,
      8, Out, Rows, 8, cutlass::epilogue::TmaWarpSpecializedCooperative,
      Epilogue<Out, Tile>>::CollectiveOp;
  using Products = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, T, Rows, kAlignment,
      T, LayoutB, kAlignment, float, Tile, Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
          sizeof(typename Stores::SharedStorage))>,
      cutlass::gemm::KernelTmaWarpSpecializedCooperative>::CollectiveOp;
  using Kernel =
      cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>,
                                           Products, Stores,
                                           cutlass::gemm::StreamKScheduler>;
};

// A name that fits on one line of a profiler.
template <typename T, typename Out, typename LayoutB>
struct Wgmma : Parts<T, Out, LayoutB>::Kernel {};
// [kernel.end]

// [arguments.begin]
template <typename T, typename Out, typename LayoutB>
struct Call {
  using Gemm =
      cutlass::gemm::device::GemmUniversalAdapter<Wgmma<T, Out, LayoutB>>;
  using Kernel = typename Gemm::GemmKernel;

  typename Gemm::Arguments arguments;

  explicit Call(const Problem& p) {
    typename Kernel::StrideA step_a{};
    typename Kernel::StrideB step_b{};
    typename Kernel::StrideD step_out{};
    cute::get<0>(step_a) = p.step_a;
    // CUTLASS takes b as (n, k).
    cute::get<std::is_same<LayoutB, Rows>::value ? 1 : 0>(step_b) = p.step_b;
    cute::get<0>(step_out) = p.step_out;
    cute::get<2>(step_a) = p.batch_step_a;
    cute::get<2>(step_b) = p.batch_step_b;
    cute::get<2>(step_out) = p.batch_step_out;
    arguments = {cutlass::gemm::GemmUniversalMode::kGemm,
                 {p.m, p.n, p.k, p.batch},
                 {static_cast<const T*>(p.a), step_a,
                  static_cast<const T*>(p.b), step_b},
                 {{}, nullptr, {}, static_cast<Out*>(p.out), step_out},
                 {p.device, 0}};
    arguments.epilogue.thread = {
        {{{p.alpha, 1, 1}, {nullptr, p.scale_a, p.scale_b}, {}},
         {},
         {static_cast<const Out*>(p.bias), Out(0), {}},
         {}},
        {p.activation}};
    // Otherwise CUTLASS would query all device properties.
    cudaDeviceGetAttribute(&arguments.hw_info.sm_count,
                           cudaDevAttrMultiProcessorCount, p.device);
  }

  size_t workspace() const { return Gemm::get_workspace_size(arguments); }

  const char* run(void* workspace, cudaStream_t stream) const {
    cutlass::Status status = Gemm::can_implement(arguments);
    Gemm gemm;
    if (status == cutlass::Status::kSuccess)
      status = gemm.run(arguments, workspace, stream);
    return status == cutlass::Status::kSuccess
               ? nullptr
               : cutlass::cutlassGetStatusString(status);
  }
};
// [arguments.end]

// [choose.begin]
// Calls body with the Call of one kernel.
template <typename Body>
auto choose(const Problem& p, Body&& body) {
  using Half = cutlass::half_t;
  using Brain = cutlass::bfloat16_t;
  if (p.type == Problem::Type::kFloat8) {
    // wgmma takes 8-bit numbers only along k: b has dense columns.
    return body(Call<cutlass::float_e4m3_t, Brain, Columns>(p));
  }
  if (p.type == Problem::Type::kFloat16) {
    return p.b_columns ? body(Call<Half, Half, Columns>(p))
                       : body(Call<Half, Half, Rows>(p));
  }
  return p.b_columns ? body(Call<Brain, Brain, Columns>(p))
                     : body(Call<Brain, Brain, Rows>(p));
}
// [choose.end]

}  // namespace

// [paths.begin]
size_t workspace_of_sm90a(const Problem& problem) {
  return choose(problem, [](const auto& call) { return call.workspace(); });
}

const char* run_sm90a(const Problem& problem, void* workspace,
                      cudaStream_t stream) {
  return choose(problem,
                [&](const auto& call) { return call.run(workspace, stream); });
}
// [paths.end]
