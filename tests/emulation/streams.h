// SPDX-License-Identifier: Apache-2.0
// What CUDA queues on streams, and what a capture records instead of running it.
#ifndef TESTS_EMULATION_STREAMS_H_
#define TESTS_EMULATION_STREAMS_H_

#include <cuda_runtime.h>
#include <tvm/ffi/c_api.h>

#include <functional>

namespace emulation {

enum class Kind { kLaunch, kMemset, kCopy };

/*!
 * \brief Runs work, or records it if its stream is being captured.
 * \return CUDA's error if the stream must not be used now: then nothing runs, ever.
 */
cudaError_t Enqueue(cudaStream_t stream, Kind kind, std::function<void()> work);

/*!
 * \brief Allocates as TVMFFIEnvTensorAlloc does.
 *
 * The graph keeps what is allocated in a capture, as a framework's allocator does for it.
 */
int TensorAlloc(DLTensor* prototype, TVMFFIObjectHandle* out);

}  // namespace emulation

#endif  // TESTS_EMULATION_STREAMS_H_
