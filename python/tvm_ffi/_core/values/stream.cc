// SPDX-License-Identifier: Apache-2.0
// The stream table, for tvm_ffi.stream.
#include "values/stream.h"

#include "base/error.h"

namespace tvm_ffi_core {

void bind_stream(nb::module_& module) {
  module.def(
      "get_stream",
      [](int32_t device_type, int32_t device_id) {
        return reinterpret_cast<uintptr_t>(TVMFFIEnvGetStream(device_type, device_id));
      },
      nb::arg("device_type"), nb::arg("device_id"));
  module.def(
      "set_stream",
      [](int32_t device_type, int32_t device_id, uintptr_t stream) {
        void* original = nullptr;
        check(
            TVMFFIEnvSetStream(device_type, device_id, reinterpret_cast<void*>(stream), &original));
        return reinterpret_cast<uintptr_t>(original);
      },
      nb::arg("device_type"), nb::arg("device_id"), nb::arg("stream"));
}

}  // namespace tvm_ffi_core
