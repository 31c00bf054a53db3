// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// variant.h: a value of one of several types; held, queried, chosen by conversion, rejected.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

namespace ffi = tvm::ffi;

using IntOrText = ffi::Variant<int64_t, ffi::String>;

// A parameter may have one of several types; `as` reports which one was passed.
ffi::String describe(const ffi::Variant<int64_t, ffi::String>& value) {
  if (value.as<int64_t>().has_value()) return "a number";
  return "the text " + std::string(value.get<ffi::String>());
}
void held() {
  EXPECT_EQ(describe(int64_t{1}), std::string("a number"));
  EXPECT_EQ(describe(ffi::String("x")), std::string("the text x"));
  IntOrText value = int64_t{3};
  EXPECT_EQ(value.get<int64_t>(), 3);
  EXPECT_EQ(value.GetTypeKey(), std::string("int"));
  EXPECT(!value.as<ffi::String>().has_value());
  EXPECT_THROWS("TypeError: Any: expected str, got int 3", value.get<ffi::String>());
  value = ffi::String("longer than seven");
  IntOrText copy = value;
  EXPECT_EQ(copy.get<ffi::String>(), std::string("longer than seven"));
  EXPECT_EQ(std::move(copy).get<ffi::String>(), std::string("longer than seven"));
  static_assert(!std::is_constructible<IntOrText, ffi::Shape>::value, "not one of the types");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_held, held);

// A value of exactly one of the types is kept; otherwise the first that it converts to wins.
void chosen() {
  using Numbers = ffi::Variant<double, bool>;
  EXPECT_EQ(ffi::Any(true).cast<Numbers>().GetTypeKey(), std::string("bool"));
  EXPECT_EQ(ffi::Any(1).cast<Numbers>().GetTypeKey(), std::string("float"));
  EXPECT_EQ(ffi::AnyView("raw").cast<IntOrText>().get<ffi::String>(), std::string("raw"));
  EXPECT_EQ(ffi::AnyView(true).cast<IntOrText>().get<int64_t>(), 1);
  EXPECT(!ffi::Any(1).as<Numbers>().has_value());
  EXPECT(ffi::Any(true).as<Numbers>().has_value());
  const ffi::List<int> list{1};
  const auto sequence = ffi::Any(list).cast<ffi::Variant<ffi::Array<int>, ffi::List<int>>>();
  EXPECT(sequence.get<ffi::List<int>>().same_as(list));
  EXPECT(sequence.as<ffi::ListObj>() == list.GetListObj());
  EXPECT(sequence.as<ffi::ArrayObj>() == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_chosen, chosen);

// A value that converts to none of them is rejected.
void refused() {
  EXPECT_THROWS("TypeError: Any: expected Variant[int, str], got float",
                ffi::Any(1.5).cast<IntOrText>());
  EXPECT_THROWS("TypeError: Any: expected Variant[int, str], got None",
                ffi::Any().cast<IntOrText>());
  const ffi::Function function = ffi::Function::FromTyped(describe, "describe");
  EXPECT_EQ(function("x").cast<ffi::String>(), std::string("the text x"));
  EXPECT_THROWS(
      "TypeError: describe(Variant[int, str]) -> str: argument 0: expected "
      "Variant[int, str], got float",
      function(1.5));
  EXPECT_EQ(ffi::TypeTraits<IntOrText>::TypeSchema(),
            std::string(R"({"type":"Variant","args":[{"type":"int"},{"type":"ffi.String"}]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_refused, refused);

// It is stored in values and containers as the value that it holds, and shares its object.
void in_values() {
  const ffi::Shape shape{1};
  {
    const ffi::Variant<ffi::Shape, int> value = shape;
    EXPECT_EQ(shape.use_count(), 2);
    const ffi::Any any = value;
    EXPECT_EQ(shape.use_count(), 3);
    EXPECT_EQ(any.type_index(), int32_t{kTVMFFIShape});
    EXPECT(ffi::AnyView(value).same_as(any));
    const ffi::Array<ffi::Variant<ffi::Shape, int>> array{value, 5};
    EXPECT_EQ(array[1].get<int>(), 5);
    EXPECT(ffi::Any(array).cast<ffi::Array<ffi::Any>>().same_as(array));
  }
  EXPECT_EQ(shape.use_count(), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_in_values, in_values);

// Variants of handles can be keys by the addresses of their objects.
void same_object() {
  using Handles = ffi::Variant<ffi::Shape, ffi::Array<int>, ffi::ObjectRef>;
  const ffi::Shape shape{1};
  const Handles first = shape, again = shape, other = ffi::Shape{1};
  const Handles none = ffi::ObjectRef();
  EXPECT(first.same_as(again) && !first.same_as(other) && !first.same_as(none));
  EXPECT((ffi::Variant<int, ffi::Shape>(1).same_as(1)));
  EXPECT((!ffi::Variant<int, ffi::Shape>(1).same_as(2)));
  const ffi::ObjectPtrEqual equal;
  const ffi::ObjectPtrHash hash;
  EXPECT(equal(first, again) && !equal(first, other));
  EXPECT(hash(first) == hash(shape) && hash(first) != hash(other));
  EXPECT_EQ(hash(none), hash(ffi::ObjectRef()));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_same_object, same_object);
