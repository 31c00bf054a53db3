// SPDX-License-Identifier: Apache-2.0
// Rows: R8
// Shown by any.rst: querying an Any, ownership, and how text is stored.
#include <tvm/ffi/tvm_ffi.h>

#include <memory>
#include <utility>

#include "expect.h"

namespace ffi = tvm::ffi;

// [questions.begin]
// `as` requires an exact value, `try_cast` converts, `cast` converts or throws.
void questions() {
  ffi::Any number = 3;
  EXPECT_EQ(number.type_index(), int32_t{kTVMFFIInt});
  EXPECT_EQ(number.as<int64_t>().value(), 3);
  EXPECT(!number.as<double>().has_value());
  EXPECT_EQ(number.try_cast<double>().value(), 3.0);
  EXPECT(!number.try_cast<ffi::String>().has_value());
  EXPECT_EQ(number.cast<double>(), 3.0);
  EXPECT_THROWS_WITH("TypeError: ", number.cast<ffi::String>());
}
// [questions.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_questions, questions);

// [ownership.begin]
// A view borrows; an Any owns, and adds a reference.
void lend_and_own() {
  ffi::Shape shape{1, 2};
  ffi::AnyView view = shape;
  EXPECT_EQ(shape.use_count(), 1);
  ffi::Any any = view;
  EXPECT_EQ(shape.use_count(), 2);
  ffi::Shape taken = std::move(any).cast<ffi::Shape>();  // takes the reference of `any`
  EXPECT(any == nullptr);
  EXPECT_EQ(shape.use_count(), 2);
}
// [ownership.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lend_and_own, lend_and_own);

// [temporary.begin]
// A view does not keep its value alive: a temporary dies at the end of its line.
void view_of_a_temporary() {
  struct Guard {
    bool* gone;
    ~Guard() { *gone = true; }
  };
  auto make = [](bool* gone) {
    return ffi::Function::FromTyped([guard = std::shared_ptr<Guard>(new Guard{gone})] {});
  };
  bool lent_gone = false, owned_gone = false;
  [[maybe_unused]] ffi::AnyView lent = make(&lent_gone);  // wrong: dangling
  ffi::Any owned = make(&owned_gone);                     // right
  EXPECT(lent_gone);
  EXPECT(!owned_gone);
}
// [temporary.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_view_of_a_temporary, view_of_a_temporary);

// [text_forms.begin]
// Up to 7 bytes are stored inline, more in an object; a borrowed text is only referenced.
void text_forms() {
  EXPECT_EQ(ffi::Any("7 bytes").type_index(), int32_t{kTVMFFISmallStr});
  EXPECT_EQ(ffi::Any("8 bytes!").type_index(), int32_t{kTVMFFIStr});
  ffi::AnyView lent = "a literal";
  EXPECT_EQ(lent.type_index(), int32_t{kTVMFFIRawStr});
  EXPECT_EQ(ffi::Any(lent).type_index(), int32_t{kTVMFFIStr});  // owned, so copied
  EXPECT_EQ(lent.cast<ffi::String>(), "a literal");
}
// [text_forms.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_text_forms, text_forms);
