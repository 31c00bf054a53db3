// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// memory.h: creating objects, using only that header.
#include <tvm/ffi/memory.h>
// The tests themselves need:
#include <tvm/ffi/function.h>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

class RowObj : public ffi::Object {
 public:
  explicit RowObj(size_t size) : size(size) {
    for (size_t i = 0; i < size; ++i) data()[i] = static_cast<int64_t>(i * i);
  }
  int64_t* data() { return reinterpret_cast<int64_t*>(this + 1); }
  size_t size;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_memory.Row", RowObj, ffi::Object);
};

}  // namespace

// An object may be followed by an array, which its constructor fills.
void array_in_place() {
  ffi::ObjectPtr<RowObj> row = ffi::make_inplace_array_object<RowObj, int64_t>(5, size_t{5});
  EXPECT_EQ(row.use_count(), 1);
  EXPECT_EQ(row->data()[4], 16);
  EXPECT_EQ(ffi::make_object<RowObj>(size_t{0})->size, 0u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_array_in_place, array_in_place);

// The deleter in an object's header has the type that the C++ header names.
void deleter() {
  ffi::ObjectPtr<RowObj> row = ffi::make_object<RowObj>(size_t{0});
  ffi::FObjectDeleter deleter = reinterpret_cast<TVMFFIObject*>(row.get())->deleter;
  EXPECT(deleter != nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_deleter, deleter);
