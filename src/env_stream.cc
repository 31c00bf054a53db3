// SPDX-License-Identifier: Apache-2.0
// The calling thread's current stream for each device.
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <algorithm>
#include <vector>

#include "thread_value.h"

namespace {

struct Entry {
  int32_t device_type;
  int32_t device_id;
  TVMFFIStreamHandle stream;
};

// The non-default streams: few, so a linear search is fast. A device takes no storage of its own,
// however large its id.
using Streams = std::vector<Entry>;

Streams::iterator Find(Streams& streams, int32_t device_type, int32_t device_id) {
  return std::find_if(streams.begin(), streams.end(), [=](const Entry& entry) {
    return entry.device_type == device_type && entry.device_id == device_id;
  });
}

}  // namespace

extern "C" {

int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id, TVMFFIStreamHandle stream,
                       TVMFFIStreamHandle* opt_out_original_stream) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK(device_type >= 0 && device_id >= 0, ValueError)
      << "TVMFFIEnvSetStream: expected a device type and id that are not negative, got "
      << device_type << " and " << device_id;
  Streams& streams = ThreadValue<Streams>::Get();
  const auto found = Find(streams, device_type, device_id);
  const bool has_entry = found != streams.end();
  TVMFFIStreamHandle const original = has_entry ? found->stream : nullptr;
  if (!has_entry && stream != nullptr) {
    streams.push_back({device_type, device_id, stream});
  } else if (has_entry && stream != nullptr) {
    found->stream = stream;
  } else if (has_entry) {
    *found = streams.back();
    streams.pop_back();
  }
  if (opt_out_original_stream != nullptr) *opt_out_original_stream = original;
  TVM_FFI_SAFE_CALL_END();
}

TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id) {
  Streams* streams = ThreadValue<Streams>::Find();
  if (streams == nullptr) return nullptr;
  const auto found = Find(*streams, device_type, device_id);
  return found == streams->end() ? nullptr : found->stream;
}
}
