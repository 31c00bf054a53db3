// SPDX-License-Identifier: Apache-2.0
// Work queued on CUDA streams, and work that a capture records instead of running it.
#ifndef TESTS_EMULATION_STREAMS_H_
#define TESTS_EMULATION_STREAMS_H_

#include <cuda_runtime.h>
#include <tvm/ffi/c_api.h>

#include <functional>

namespace emulation {

enum class Kind { kLaunch, kMemset, kCopy };

/*!
 * \brief Runs work, or records it if its stream is being captured.
 * \return CUDA's error if the stream must not be used now; the work is then discarded.
 */
cudaError_t Enqueue(cudaStream_t stream, Kind kind, std::function<void()> work);

/*!
 * \brief Allocates like TVMFFIEnvTensorAlloc.
 *
 * The graph keeps memory allocated during a capture, as a framework's allocator would.
 */
int TensorAlloc(DLTensor* prototype, TVMFFIObjectHandle* out);

}  // namespace emulation

#endif  // TESTS_EMULATION_STREAMS_H_
