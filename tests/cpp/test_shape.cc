// SPDX-License-Identifier: Apache-2.0
// Rows: R1, R7
// container/shape.h: lists of extents, borrowed and owned.
#include <tvm/ffi/tvm_ffi.h>

#include <sstream>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

// A view and a shape answer the same queries, and can be iterated.
void queries() {
  const std::vector<int64_t> extents = {2, 3, 4};
  const ffi::ShapeView view(extents.data(), extents.size());
  const ffi::Shape shape(view);
  EXPECT_EQ(view.size(), 3u);
  EXPECT_EQ(shape.size(), 3u);
  EXPECT_EQ(view[2], 4);
  EXPECT_EQ(shape[2], 4);
  EXPECT_EQ(shape.at(0), 2);
  EXPECT_EQ(view.front(), 2);
  EXPECT_EQ(view.back(), 4);
  EXPECT_EQ(view.Product(), 24);
  EXPECT_EQ(shape.Product(), 24);
  int64_t sum = 0;
  for (int64_t extent : view) sum += extent;
  for (int64_t extent : shape) sum += extent;
  EXPECT_EQ(sum, 18);
  EXPECT(shape == view && view == shape);
  EXPECT(shape != ffi::ShapeView({2, 3}) && shape != ffi::ShapeView({2, 3, 5}));
  EXPECT_THROWS("IndexError: ShapeView::at: expected an index below 3, got 3", shape.at(3));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_queries, queries);

// Without extents there is one element, and no first or last extent.
void no_extents() {
  for (const ffi::Shape& shape : {ffi::Shape(), ffi::Shape({}), ffi::Shape(ffi::ShapeView())}) {
    EXPECT(shape.empty());
    EXPECT_EQ(shape.Product(), 1);
    EXPECT(shape.begin() == shape.end());
    EXPECT(shape == ffi::ShapeView());
  }
  EXPECT_EQ(ffi::ShapeView({3, 0}).Product(), 0);
  EXPECT_THROWS("IndexError: ShapeView::front: expected an extent, got none",
                ffi::ShapeView().front());
  EXPECT_THROWS("IndexError: ShapeView::back: expected an extent, got none",
                ffi::ShapeView().back());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_no_extents, no_extents);

// A shape owns its extents, in one object shared by all copies.
void ownership() {
  std::vector<int64_t> extents = {5, 6};
  ffi::Shape shape{ffi::ShapeView(extents.data(), extents.size())};
  extents[0] = 99;
  EXPECT_EQ(shape[0], 5);
  ffi::Shape copy = shape;
  EXPECT_EQ(shape.use_count(), 2);
  EXPECT_EQ(copy.data(), shape.data());
  const auto* cell = reinterpret_cast<const TVMFFIShapeCell*>(
      reinterpret_cast<const TVMFFIObject*>(ffi::ObjectUnsafe::Borrow(shape)) + 1);
  EXPECT_EQ(cell->size, 2u);
  EXPECT_EQ(cell->data[1], 6);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_ownership, ownership);

// A shape is passed and returned; None is rejected.
void through_functions() {
  ffi::Function reversed = ffi::Function::FromTyped([](ffi::Shape x) {
    std::vector<int64_t> extents(x.begin(), x.end());
    return ffi::Shape(ffi::ShapeView(std::vector<int64_t>(extents.rbegin(), extents.rend()).data(),
                                     extents.size()));
  });
  EXPECT_EQ(reversed(ffi::Shape{1, 2, 3}).cast<ffi::Shape>(), ffi::ShapeView({3, 2, 1}));
  EXPECT_THROWS("TypeError: function(Shape) -> Shape: argument 0: expected Shape, got None",
                reversed(nullptr));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_through_functions, through_functions);

// An Array or a List of integers converts to a shape, as an argument and in a container.
void from_sequences() {
  ffi::Function size = ffi::Function::FromTyped([](ffi::Shape x) { return x; });
  EXPECT_EQ(size(ffi::Array<int64_t>{2, 3}).cast<ffi::Shape>(), ffi::ShapeView({2, 3}));
  EXPECT_EQ(size(ffi::List<ffi::Any>{4, true}).cast<ffi::Shape>(), ffi::ShapeView({4, 1}));
  EXPECT(size(ffi::Array<ffi::Any>()).cast<ffi::Shape>().empty());
  const ffi::Any nested = ffi::Array<ffi::Any>{ffi::Array<ffi::Any>{7}, ffi::Shape{8}};
  EXPECT_EQ(nested.cast<ffi::Array<ffi::Shape>>()[0], ffi::ShapeView({7}));
  EXPECT(!ffi::Any(ffi::Array<int64_t>{2}).as<ffi::Shape>().has_value());
  for (const ffi::Any& other : {ffi::Any(2.5), ffi::Any("2"), ffi::Any(nullptr)}) {
    EXPECT_THROWS_WITH("TypeError: function(Shape) -> Shape: argument 0: expected Shape, got Array",
                       size(ffi::Array<ffi::Any>{1, other}));
  }
  EXPECT_THROWS_WITH("TypeError: function(Shape) -> Shape: argument 0: expected Shape, got int",
                     size(2));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_from_sequences, from_sequences);

// A message formats a shape as Python does.
void printed() {
  auto text = [](ffi::ShapeView shape) { return (ffi::Message().self() << shape).take(); };
  EXPECT_EQ(text({}), std::string("()"));
  EXPECT_EQ(text({4}), std::string("(4,)"));
  EXPECT_EQ(text({4, -1, 0}), std::string("(4, -1, 0)"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_printed, printed);

// Construction from the extents of any container; printed as a tuple.
void from_ranges() {
  const std::vector<int64_t> vector{2, 3};
  EXPECT_EQ(ffi::Shape(vector), ffi::ShapeView({2, 3}));
  EXPECT_EQ(ffi::Shape(vector.begin() + 1, vector.end()), ffi::ShapeView({3}));
  EXPECT_EQ(ffi::Shape(ffi::Array<int64_t>{4, 5}), ffi::ShapeView({4, 5}));
  EXPECT(ffi::Shape(std::vector<int64_t>()).empty());
  EXPECT_EQ(ffi::Shape({7, 8}).front(), 7);
  EXPECT_EQ(ffi::Shape({7, 8}).back(), 8);
  EXPECT_THROWS_WITH("IndexError: ShapeView::back", ffi::Shape().back());
  std::ostringstream stream;
  stream << ffi::Shape({2, 3}) << ffi::ShapeView({1}) << ffi::Shape();
  EXPECT_EQ(stream.str(), std::string("(2, 3)(1,)()"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_from_ranges, from_ranges);

// Row-major strides; an extent of 0 is included in the product.
void strides() {
  const auto of = [](ffi::ShapeView shape) { return ffi::Shape::StridesFromShape(shape); };
  EXPECT_EQ(ffi::ShapeView(of({2, 3, 4})), ffi::ShapeView({12, 4, 1}));
  EXPECT_EQ(ffi::ShapeView(of({2, 0, 3})), ffi::ShapeView({0, 3, 1}));
  EXPECT_EQ(ffi::ShapeView(of({7})), ffi::ShapeView({1}));
  EXPECT(of({}).empty());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_strides, strides);
