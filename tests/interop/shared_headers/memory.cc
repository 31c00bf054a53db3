// SPDX-License-Identifier: Apache-2.0
// memory.h: new objects, with an array behind them or without.
#include <tvm/ffi/memory.h>

#include "print.h"

namespace ffi = tvm::ffi;

class RowObj : public ffi::Object {
 public:
  explicit RowObj(int64_t size) : size(size) {
    for (int64_t i = 0; i < size; ++i) data()[i] = i * i;
  }
  int64_t* data() { return reinterpret_cast<int64_t*>(this + 1); }
  int64_t size;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("shared_headers.Row", RowObj, ffi::Object);
};

int main() {
  ffi::ObjectPtr<RowObj> row = ffi::make_inplace_array_object<RowObj, int64_t>(5, int64_t{5});
  std::cout << row->data()[4] << row.use_count() << row->GetTypeKey() << "\n";
  std::cout << ffi::make_object<RowObj>(int64_t{0})->size << "\n";
  ffi::FObjectDeleter deleter = reinterpret_cast<TVMFFIObject*>(row.get())->deleter;
  std::cout << (deleter != nullptr) << "\n";
}
