// SPDX-License-Identifier: Apache-2.0
// Rows: R1
// The checks in the examples' tvm_ffi_utils.h that no single example can reach.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../../examples/kernel_library/tvm_ffi_utils.h"
#include "expect.h"

namespace {

// The magnitudes of a format by their bit patterns, computed from its definition.
std::vector<double> magnitudes(int fraction_bits, int bias, int count) {
  std::vector<double> values;
  for (int bits = 0; bits < count; ++bits) {
    const int fraction = bits & ((1 << fraction_bits) - 1);
    const int exponent = bits >> fraction_bits;
    const int whole = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
    values.push_back(std::ldexp(whole, std::max(exponent, 1) - bias - fraction_bits));
  }
  return values;
}

// Checks both conversions of a narrow type: for all its finite numbers, and for the floats at and
// next to the midpoints of neighbours.
template <typename T>
void expect_conversions(const std::vector<double>& values, int sign_bit) {
  const auto rounded = [](float x) { return static_cast<int>(T(x).bits); };
  const float infinity = std::numeric_limits<float>::infinity();
  for (size_t i = 0; i < values.size(); ++i) {
    const int bits = static_cast<int>(i);
    const float value = static_cast<float>(values[i]);
    T positive{}, negative{};
    positive.bits = static_cast<decltype(positive.bits)>(bits);
    negative.bits = static_cast<decltype(negative.bits)>(bits | sign_bit);
    EXPECT(static_cast<float>(positive) == value);
    EXPECT(static_cast<float>(negative) == -value);
    EXPECT(std::signbit(static_cast<float>(negative)));
    EXPECT(rounded(value) == bits);
    EXPECT(rounded(-value) == (bits | sign_bit));
    if (i + 1 == values.size()) continue;
    const float middle = static_cast<float>((values[i] + values[i + 1]) / 2);
    EXPECT(rounded(middle) == bits + (bits & 1));  // to even
    EXPECT(rounded(-middle) == ((bits + (bits & 1)) | sign_bit));
    EXPECT(rounded(std::nextafter(middle, 0.0f)) == bits);
    EXPECT(rounded(std::nextafter(middle, infinity)) == bits + 1);
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT(std::isnan(static_cast<float>(T(nan))));
  EXPECT(std::isnan(static_cast<float>(T(-nan))));
}

// A contiguous view of a buffer, starting at an element.
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

// Only the very same tensor may be both input and output: neither a part of it nor its bytes as
// another dtype.
void partial_overlap() {
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
  EXPECT(overlap(whole, same));
  EXPECT(!overlap(front, back));
  EXPECT(!overlap(whole, none));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_partial_overlap, partial_overlap);

// All finite numbers and all ties of the storage types.
void narrow_floats() {
  const float infinity = std::numeric_limits<float>::infinity();
  const float largest = std::numeric_limits<float>::max();
  expect_conversions<float16>(magnitudes(10, 15, 0x7c00), 0x8000);
  expect_conversions<bfloat16>(magnitudes(7, 127, 0x7f80), 0x8000);
  expect_conversions<float8_e4m3fn>(magnitudes(3, 7, 0x7f), 0x80);
  expect_conversions<float8_e5m2>(magnitudes(2, 15, 0x7c), 0x80);
  // Too large: infinity for the 16-bit types, the largest number for the 8-bit types.
  EXPECT(float16(65519.996f).bits == 0x7bff);
  EXPECT(float16(65520.0f).bits == 0x7c00);
  EXPECT(float16(-infinity).bits == 0xfc00);
  EXPECT(static_cast<float>(float16(infinity)) == infinity);
  EXPECT(bfloat16(largest).bits == 0x7f80);
  EXPECT(static_cast<float>(bfloat16(-infinity)) == -infinity);
  for (float large : {449.0f, 464.0f, 480.0f, 1e9f, largest, infinity}) {
    EXPECT(static_cast<float>(float8_e4m3fn(large)) == 448.0f);
    EXPECT(static_cast<float>(float8_e4m3fn(-large)) == -448.0f);
  }
  for (float large : {57345.0f, 61440.0f, 1e9f, largest, infinity}) {
    EXPECT(static_cast<float>(float8_e5m2(large)) == 57344.0f);
    EXPECT(static_cast<float>(float8_e5m2(-large)) == -57344.0f);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_narrow_floats, narrow_floats);

// A dtype selects its type, and one in no list is an error, never ignored.
void dispatching() {
  using Lists = decltype(TypeList<float>{} + IntegerTypes{} + BoolTypes{});
  int calls = 0;
  dispatch<Lists>(dl_int64, [&](auto zero) {
    calls += std::is_same<decltype(zero), int64_t>::value ? 1 : 100;
  });
  dispatch<Lists>(DLDataType{kDLUInt, 16, 1}, [&](auto zero) {
    calls += std::is_same<decltype(zero), uint16_t>::value ? 1 : 100;
  });
  EXPECT(calls == 2);
  EXPECT(is_one_of<Lists>(dl_bool));
  EXPECT(!is_one_of<Lists>(dl_float64));
  EXPECT(!is_one_of<Lists>(DLDataType{kDLFloat, 32, 4}));
  EXPECT(names_of(Float8Types{}) == "float8_e4m3fn or float8_e5m2");
  EXPECT(names_of(BoolTypes{}) == "bool");
  EXPECT(names_of(FloatingTypes{}) == "float32, float64, float16 or bfloat16");
  EXPECT_THROWS("TypeError: expected float8_e4m3fn or float8_e5m2, got float16",
                dispatch<Float8Types>(dl_float16, [&](auto) { ++calls; }));
  EXPECT(calls == 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dispatching, dispatching);

// Walking the runs of a layout visits the elements in the order given by offset().
void runs() {
  const std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> layouts = {
      {{}, {}},
      {{5}, {3}},
      {{4, 3}, {1, 4}},
      {{2, 0, 3}, {3, 3, 1}},
      {{2, 3, 4}, {100, -4, 1}},
      {{3, 1, 2, 2}, {0, 7, 5, 1}},
      {{2, 3, 1, 4, 2}, {3, 1, 0, 60, 6}},
  };
  for (const auto& [shape, strides] : layouts) {
    DLTensor tensor{};
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = dl_float32;
    tensor.shape = const_cast<int64_t*>(shape.data());
    tensor.strides = const_cast<int64_t*>(strides.data());
    const ffi::TensorView view(&tensor);
    const StridedLayout layout("runs", view);
    int64_t seen = 0;
    for_each_run(layout, [&](int64_t first, int64_t offset, int64_t count, int64_t step) {
      EXPECT(first == seen);
      for (int64_t i = 0; i < count; ++i) EXPECT(offset + i * step == layout.offset(first + i));
      seen += count;
    });
    EXPECT(seen == view.numel());
  }
  const std::vector<int64_t> ones(65, 1);
  DLTensor deep{};
  deep.device = {kDLCPU, 0};
  deep.ndim = 65;
  deep.dtype = dl_float32;
  deep.shape = deep.strides = const_cast<int64_t*>(ones.data());
  EXPECT_THROWS("ValueError: runs: a tensor must have at most 64 dimensions, got 65",
                StridedLayout("runs", ffi::TensorView(&deep)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_runs, runs);

// Vector loads are allowed if each row starts at a multiple of the vector length.
void rows() {
  int64_t shape[] = {3, 2, 5}, strides[] = {24, 8, 1};
  DLTensor tensor{};
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 3;
  tensor.dtype = dl_float32;
  tensor.shape = shape;
  tensor.strides = strides;
  const Rows found("rows", ffi::TensorView(&tensor));
  EXPECT(found.count == 6 && found.length == 5);
  EXPECT(found.starts.offset(3) == 32);
  EXPECT(found.begin_at_multiples_of(4));
  EXPECT(!found.begin_at_multiples_of(16));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_rows, rows);

// Each element is computed once, even if the output is an input.
void mapping() {
  for (int64_t n : {0, 1, 63, 64, 65, 127, 128, 1000}) {
    std::vector<float> a(static_cast<size_t>(n)), b(a), y(static_cast<size_t>(n) + 1, -1.0f);
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<float>(i);
      b[i] = static_cast<float>(2 * i);
    }
    const auto sum = [](float left, float right) { return left + right + 1; };
    map_elements(n, sum, y.data(), a.data(), b.data());
    map_elements(n, sum, a.data(), a.data(), b.data());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT(y[i] == static_cast<float>(3 * i + 1));
      EXPECT(a[i] == y[i]);
    }
    EXPECT(y.back() == -1.0f);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_mapping, mapping);

// A grid has at least one block, enough for all items, and never too many.
void grid() {
  EXPECT(blocks_for(0, 256) == 1);
  EXPECT(blocks_for(256, 256) == 1);
  EXPECT(blocks_for(257, 256) == 2);
  EXPECT(blocks_for(int64_t{1} << 40, 256) == 1u << 20);
  alignas(16) char bytes[32];
  EXPECT(is_aligned(bytes));
  EXPECT(!is_aligned(bytes + 8));
  EXPECT(is_aligned(bytes + 8, 8));
  static_assert(sizeof(Vector<float>) == 16 && Vector<float16>::kSize == 8, "16 bytes");
  static_assert(alignof(Vector<float8_e5m2, 8>) == 8, "as aligned as it is large");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_grid, grid);
