// SPDX-License-Identifier: Apache-2.0
// Rows: R1
// The checks of the examples' tvm_ffi_utils.h that no example alone can reach.
#include "../../examples/kernel_library/tvm_ffi_utils.h"
#include "expect.h"

namespace {

// A contiguous view of a buffer, from an element on.
class View {
 public:
  View(float* data, int64_t size, DLDataType dtype) : size_(size) {
    tensor_.data = data;
    tensor_.device = {kDLCPU, 0};
    tensor_.ndim = 1;
    tensor_.dtype = dtype;
    tensor_.shape = &size_;
    tensor_.strides = &stride_;
  }
  operator ffi::TensorView() const { return ffi::TensorView(&tensor_); }

 private:
  DLTensor tensor_{};
  int64_t size_;
  int64_t stride_ = 1;
};

}  // namespace

// Only the very same tensor may be input and output: neither a part of it nor its bytes as another
// dtype.
void overlap() {
  float buffer[8] = {};
  const View whole(buffer, 8, dl_float32);
  const View same(buffer, 8, dl_float32);
  const View front(buffer, 4, dl_float32);
  const View back(buffer + 4, 4, dl_float32);
  const View middle(buffer + 2, 4, dl_float32);
  const View halves(buffer, 8, dl_float16);
  const View none(buffer, 0, dl_float32);
  EXPECT(!overlaps_in_part(whole, same));
  EXPECT(!overlaps_in_part(front, back));
  EXPECT(!overlaps_in_part(whole, none));
  EXPECT(overlaps_in_part(whole, front));
  EXPECT(overlaps_in_part(front, whole));
  EXPECT(overlaps_in_part(whole, halves));
  EXPECT(overlaps_in_part(front, middle));
  EXPECT(overlaps_in_part(middle, back));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_overlap, overlap);
