// SPDX-License-Identifier: Apache-2.0
// Functions that refuse an argument, directly or through others, for test_argument_type.py.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/tvm_ffi.h>

#include <optional>

namespace ffi = tvm::ffi;

namespace {

void Take(int64_t, const ffi::Tensor&) {}
void TakeNumbers(int64_t, const ffi::Array<int64_t>&) {}

ffi::Function Taker() { return ffi::Function::FromTyped(Take, "taker"); }

// Forwards its arguments, except the first `skipped` of them.
ffi::Function Forwarder(int64_t skipped) {
  return ffi::Function::FromPacked([skipped](ffi::PackedArgs args, ffi::Any* result) {
    Taker().CallPacked(args.Slice(static_cast<int32_t>(skipped)), result);
  });
}

// Passes its own value in the position of the caller's argument.
void TakeAnother(int64_t, const ffi::Any&) { Taker()(1, ffi::Array<int64_t>()); }

// Keeps the error of a call with its own arguments; the next call throws the kept error.
ffi::Function Late() {
  return ffi::Function::FromPacked(
      [error = std::optional<ffi::Error>()](ffi::PackedArgs args, ffi::Any* result) mutable {
        if (error.has_value()) throw *error;
        try {
          Taker().CallPacked(args, result);
        } catch (const ffi::Error& caught) {
          error = caught;
        }
      });
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(take, Take);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_numbers, TakeNumbers);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(forwarder, Forwarder);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_another, TakeAnother);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(late, Late);
