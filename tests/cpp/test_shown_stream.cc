// SPDX-License-Identifier: Apache-2.0
// Rows: R8
// Shown by streams.rst: a stream that is current for a scope.
#include "expect.h"
// [includes.begin]
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
// [includes.end]

// [set_stream.begin]
namespace {

// Makes a stream current for the lifetime of the object, then restores the previous stream.
class CurrentStream {
 public:
  CurrentStream(DLDevice device, TVMFFIStreamHandle stream) : device_(device) {
    TVM_FFI_CHECK_SAFE_CALL(
        TVMFFIEnvSetStream(device.device_type, device.device_id, stream, &before_));
  }
  CurrentStream(const CurrentStream&) = delete;
  CurrentStream& operator=(const CurrentStream&) = delete;
  ~CurrentStream() { TVMFFIEnvSetStream(device_.device_type, device_.device_id, before_, nullptr); }

 private:
  DLDevice device_;
  TVMFFIStreamHandle before_ = nullptr;
};

}  // namespace
// [set_stream.end]

// Scopes nest; a scope left by an error also restores the previous stream.
void scopes() {
  const DLDevice device{kDLCUDA, 1};
  auto current = [] { return reinterpret_cast<uintptr_t>(TVMFFIEnvGetStream(kDLCUDA, 1)); };
  auto stream = [](uintptr_t number) { return reinterpret_cast<TVMFFIStreamHandle>(number); };
  const uintptr_t before = current();
  {
    CurrentStream outer(device, stream(16));
    EXPECT_THROWS("ValueError: leave", {
      CurrentStream inner(device, stream(32));
      EXPECT_EQ(current(), uintptr_t{32});
      TVM_FFI_THROW(ValueError) << "leave";
    });
    EXPECT_EQ(current(), uintptr_t{16});
  }
  EXPECT_EQ(current(), before);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_scopes, scopes);
