// SPDX-License-Identifier: Apache-2.0
// Functions that every library built for the emulation exports for its tests.
#include "for_tests.h"

#include <tvm/ffi/function.h>

#include <cstddef>
#include <cstdint>

#include "races.h"

namespace emulation::for_tests {

int launches = 0;
int failing_launch = -1;
int launched_on = -1;
int calls = 0;
int failing_call = -1;
int capability = 90;
thread_local int current_device = 0;

}  // namespace emulation::for_tests

namespace for_tests = emulation::for_tests;

// Rejects one launch, counted from 0 starting now; -1 rejects none.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(refuse_launch, [](int number) {
  for_tests::launches = 0;
  for_tests::failing_launch = number;
});
// The number of launches since then, including the rejected one.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launches, [] { return for_tests::launches; });
// The device of the last launch, including a rejected one; -1 before the first.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launched_on, [] { return for_tests::launched_on; });
// Makes one CUDA runtime call fail, counted from 0 starting now; -1 makes none fail. Launches
// and error queries are not counted.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail_call, [](int number) {
  for_tests::calls = 0;
  for_tests::failing_call = number;
});
// The number of calls since then, including the failed one.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(calls, [] { return for_tests::calls; });
// This thread's current device.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(use_device, [](int number) { for_tests::current_device = number; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(current_device, [] { return for_tests::current_device; });
// The GPU's compute capability, 80 for 8.0.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_capability, [](int number) { for_tests::capability = number; });
// Forbids kernels to access `around` bytes on either side of a tensor's memory, until the
// surroundings of all tensors are forgotten, before their memory is reused.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(surround, [](int64_t address, int64_t size, int64_t around) {
  emulation::races::Surround(reinterpret_cast<const void*>(address), static_cast<size_t>(size),
                             static_cast<size_t>(around));
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(forget_surroundings, emulation::races::ForgetSurroundings);
