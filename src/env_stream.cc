// SPDX-License-Identifier: Apache-2.0
// The calling thread's current stream of each device.
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <vector>

namespace {

using Streams = std::vector<std::vector<TVMFFIStreamHandle>>;  // by device type, then id
thread_local Streams streams;

}  // namespace

extern "C" {

int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id, TVMFFIStreamHandle stream,
                       TVMFFIStreamHandle* opt_out_original_stream) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK(device_type >= 0 && device_id >= 0, ValueError)
      << "TVMFFIEnvSetStream: expected a device type and id that are not negative, got "
      << device_type << " and " << device_id;
  const auto type = static_cast<size_t>(device_type);
  const auto id = static_cast<size_t>(device_id);
  if (streams.size() <= type) streams.resize(type + 1);
  if (streams[type].size() <= id) streams[type].resize(id + 1, nullptr);
  if (opt_out_original_stream != nullptr) *opt_out_original_stream = streams[type][id];
  streams[type][id] = stream;
  TVM_FFI_SAFE_CALL_END();
}

TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id) {
  const auto type = static_cast<size_t>(device_type);  // A negative number becomes a huge one.
  const auto id = static_cast<size_t>(device_id);
  if (type >= streams.size() || id >= streams[type].size()) return nullptr;
  return streams[type][id];
}
}
