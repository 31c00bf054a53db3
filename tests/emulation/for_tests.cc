// SPDX-License-Identifier: Apache-2.0
// Functions that each library built for the emulation exports for its tests.
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

// Refuses one launch, counted from 0 and from now; -1 refuses none.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(refuse_launch, [](int number) {
  for_tests::launches = 0;
  for_tests::failing_launch = number;
});
// How many launches there were since then, the refused one included.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launches, [] { return for_tests::launches; });
// The device on which the last launch was made, the refused one included; -1 before the first.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launched_on, [] { return for_tests::launched_on; });
// Lets one call of CUDA's runtime fail, counted from 0 and from now; -1 lets none fail. Launches
// and what asks for errors are not counted.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail_call, [](int number) {
  for_tests::calls = 0;
  for_tests::failing_call = number;
});
// How many calls there were since then, the failed one included.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(calls, [] { return for_tests::calls; });
// The device that is current in this thread.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(use_device, [](int number) { for_tests::current_device = number; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(current_device, [] { return for_tests::current_device; });
// The compute capability of the GPU, 80 for 8.0.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_capability, [](int number) { for_tests::capability = number; });
// Memory of a tensor, with so many bytes on both sides that no kernel may access; until those of
// all tensors are forgotten, before their memory is used again.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(surround, [](int64_t address, int64_t size, int64_t around) {
  emulation::races::Surround(reinterpret_cast<const void*>(address), static_cast<size_t>(size),
                             static_cast<size_t>(around));
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(forget_surroundings, emulation::races::ForgetSurroundings);
