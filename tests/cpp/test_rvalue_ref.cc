// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// rvalue_ref.h: arguments whose ownership passes to the callee.
#include <tvm/ffi/rvalue_ref.h>
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

namespace ffi = tvm::ffi;

// A parameter of type Any takes the object; a borrowing one leaves it with the caller.
void other_parameters() {
  ffi::RValueRef<ffi::Shape> given(ffi::Shape{2, 3});
  ffi::Function type = ffi::Function::FromTyped([](ffi::AnyView x) { return x.type_index(); });
  EXPECT_EQ(type(given).cast<int>(), int32_t{kTVMFFIObjectRValueRef});
  ffi::Function take =
      ffi::Function::FromTyped([](ffi::Any x) { return x.as<ffi::Shape>()->use_count(); });
  EXPECT_EQ(take(given).cast<int>(), 2);
  EXPECT(take.defined());
  EXPECT((*std::move(given)).get() == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_other_parameters, other_parameters);

// An object of another type is rejected, and stays with the caller.
void wrong_types() {
  ffi::Function f = ffi::Function::FromTyped([](ffi::RValueRef<ffi::Function>) {}, "f");
  ffi::RValueRef<ffi::Shape> given(ffi::Shape{2, 3});
  EXPECT_THROWS(
      "TypeError: f(Function) -> None: argument 0: expected Function, got ObjectRValueRef",
      f(given));
  EXPECT_EQ((*std::move(given)).size(), size_t{2});
  EXPECT_THROWS("TypeError: f(Function) -> None: argument 0: expected Function, got int 3", f(3));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_wrong_types, wrong_types);

// A null handle is accepted like None, if the class allows it.
void null_handles() {
  ffi::Function f = ffi::Function::FromTyped(
      [](ffi::RValueRef<ffi::Function> given) { return (*std::move(given)) == nullptr; });
  EXPECT(f(ffi::RValueRef<ffi::Function>(ffi::Function())).cast<bool>());
  EXPECT(f(nullptr).cast<bool>());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_null_handles, null_handles);

// Moving an object out requires a variable: NULL is rejected for any parameter.
void moved_out_of_null() {
  ffi::AnyView view;
  reinterpret_cast<TVMFFIAny*>(&view)->type_index = kTVMFFIObjectRValueRef;
  EXPECT_THROWS("ValueError: TVMFFIAnyViewToOwnedAny: any_view: expected an address, got NULL",
                ffi::Any{view});
  const auto take_any = ffi::Function::FromTyped([](const ffi::Any&) {}, "f");
  EXPECT_THROWS("TypeError: f(Any) -> None: argument 0: expected Any, got NULL", take_any(view));
  const auto take = ffi::Function::FromTyped([](const ffi::RValueRef<ffi::Shape>&) {}, "f");
  EXPECT_THROWS("TypeError: f(Shape) -> None: argument 0: expected Shape, got NULL", take(view));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_moved_out_of_null, moved_out_of_null);
