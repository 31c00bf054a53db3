// SPDX-License-Identifier: Apache-2.0
// Rows: R3, R7
// optional.h: a value or none, as a value, as a parameter and as a result.
#include <tvm/ffi/tvm_ffi.h>

#include <optional>
#include <utility>

#include "expect.h"

namespace ffi = tvm::ffi;

// Construction from a value, nothing, or a std::optional; it reports whether it has a value.
void values() {
  ffi::Optional<int> none;
  ffi::Optional<int> some = 3;
  EXPECT(none == nullptr && !(none != nullptr) && !none.has_value());
  EXPECT(some != nullptr && !(some == nullptr) && some.has_value());
  EXPECT_EQ(some.value(), 3);
  EXPECT_EQ(*some, 3);
  EXPECT_EQ(none.value_or(4), 4);
  none = 5;
  EXPECT_EQ(none.value(), 5);
  none = std::nullopt;
  EXPECT(none == nullptr);
  EXPECT(ffi::Optional<int>(std::nullopt) == nullptr);
  EXPECT_EQ(ffi::Optional<int>(std::optional<int>(6)).value(), 6);
  EXPECT(some == ffi::Optional<int>(3));
  EXPECT(some != ffi::Optional<int>());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_values, values);

// Accessing the value of an empty one is a RuntimeError that names the type.
void value_of_none() {
  EXPECT_THROWS("RuntimeError: Optional::value: expected a Shape, got none",
                ffi::Optional<ffi::Shape>().value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_value_of_none, value_of_none);

// None and an empty one are the same value; a filled one is its contents.
void in_any() {
  EXPECT_EQ(ffi::AnyView(ffi::Optional<int>()).type_index(), int32_t{kTVMFFINone});
  EXPECT_EQ(ffi::Any(ffi::Optional<int>(3)).cast<int>(), 3);
  EXPECT(ffi::Any().cast<ffi::Optional<ffi::String>>() == nullptr);
  EXPECT(ffi::Any().as<ffi::Optional<double>>().has_value());
  EXPECT(!ffi::Any(1).as<ffi::Optional<double>>().has_value());
  EXPECT_EQ(ffi::Any(1).cast<ffi::Optional<double>>().value(), 1.0);
  EXPECT(!ffi::Any("x").try_cast<ffi::Optional<double>>().has_value());
  ffi::Shape shape{1};
  {
    ffi::Any owned = ffi::Optional<ffi::Shape>(shape);
    EXPECT_EQ(shape.use_count(), 2);
  }
  EXPECT_EQ(shape.use_count(), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_in_any, in_any);

// A function may take and return one.
void through_functions() {
  ffi::Function half = ffi::Function::FromTyped([](ffi::Optional<int> x) -> ffi::Optional<int> {
    if (!x.has_value() || *x % 2 != 0) return std::nullopt;
    return *x / 2;
  });
  EXPECT_EQ(half(8).cast<int>(), 4);
  EXPECT(half(7) == nullptr);
  EXPECT(half(nullptr) == nullptr);
  EXPECT(half() == nullptr);
  EXPECT_THROWS(
      "TypeError: function(Optional[int of 32 bits]) -> Optional[int of 32 bits]: argument "
      "0: expected Optional[int of 32 bits], got str",
      half("8"));
  EXPECT_THROWS(
      "TypeError: function(Optional[int of 32 bits]) -> Optional[int of 32 bits]: argument "
      "0: expected Optional[int of 32 bits], got int 4294967296",
      half(int64_t{1} << 32));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_through_functions, through_functions);

// Optionals compare with values, nulls and other optionals, from either side.
void comparison() {
  const ffi::Optional<int> none, one = 1, zero = 0;
  EXPECT(one == 1 && 1 == one && !(one == 2) && one != 2 && 2 != one && !(1 != one));
  EXPECT(none != 1 && 0 != none && !(none == 0));
  EXPECT(zero == 0 && zero != nullptr && nullptr != zero && nullptr == none);
  EXPECT(none == std::nullopt && std::nullopt == none && one != std::nullopt);
  EXPECT(one == std::optional<int>(1) && std::optional<int>(2) != one);
  EXPECT(none == std::optional<int>() && none != std::optional<int>(0));
  EXPECT(one == one && one != none && one != zero && one == ffi::Optional<int64_t>(1));
  const ffi::Optional<ffi::String> text = ffi::String("text");
  EXPECT(text == "text" && "text" == text && text != "other" && text == std::string("text"));
  EXPECT(ffi::Optional<ffi::Optional<int>>(one) == one);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_comparison, comparison);

// Optionals of handles report whether they hold the same object.
void same_object() {
  const ffi::Array<int> array{1}, other{1};
  const ffi::Optional<ffi::Array<int>> none, some = array;
  EXPECT(some.same_as(array) && !some.same_as(other) && !some.same_as(none) && !none.same_as(some));
  EXPECT(none.same_as(none) && some == array && some != other);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_same_object, same_object);

// An Optional of a handle or a text has the size of its value, and is moved, changed and cleared.
void in_place() {
  static_assert(sizeof(ffi::Optional<ffi::Array<int>>) == sizeof(ffi::Array<int>), "no flag");
  static_assert(sizeof(ffi::Optional<ffi::Bytes>) == sizeof(ffi::Bytes), "no flag");
  const ffi::Array<int> array{1};
  ffi::Optional<ffi::Array<int>> some = array, copy = some;
  EXPECT_EQ(array.use_count(), 3);
  ffi::Optional<ffi::Array<int>> moved = std::move(copy);
  EXPECT(!copy.has_value() && moved.same_as(array));
  moved = std::nullopt;
  some.reset();
  EXPECT(!some && !moved);
  EXPECT_EQ(array.use_count(), 1);
  some.emplace(array);
  EXPECT_EQ(some->size(), 1u);
  EXPECT_EQ(some.value().size(), 1u);
  std::optional<ffi::Array<int>> standard = some;
  EXPECT(standard.has_value() && standard->same_as(array));
  some = std::move(standard);
  EXPECT(some.value_or(ffi::Array<int>()).same_as(array));
  const std::string much(100, 'x');
  ffi::Optional<ffi::String> text = ffi::String(much), none;
  EXPECT(text == much && !none.has_value() && none.value_or("else") == "else");
  std::swap(text, none);
  EXPECT(none == much && !text.has_value());
  text = ffi::String("");
  EXPECT(text.has_value() && text->empty());
  EXPECT(!ffi::Optional<ffi::ObjectRef>(ffi::ObjectRef()).has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_in_place, in_place);

// Any handle can be compared with an Optional; a null one is the same as none.
void same_as_a_handle() {
  const ffi::Shape shape{1};
  const ffi::Optional<ffi::Shape> some = shape, none;
  EXPECT(some.same_as(shape) && some.same_as(ffi::ObjectRef(shape)));
  EXPECT(!some.same_as(ffi::Shape{1}) && !some.same_as(ffi::ObjectRef()));
  EXPECT(none.same_as(ffi::ObjectRef()) && !none.same_as(shape));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_same_as_a_handle, same_as_a_handle);

namespace {

// A handle that cannot be constructed.
class Refusing : public ffi::ObjectRef {
 public:
  explicit Refusing(int) { TVM_FFI_THROW(ValueError) << "refused"; }
};

}  // namespace

// An Optional of a handle or a text: constructed from arguments, nullptr and another; read back.
void made_in_place() {
  EXPECT(!ffi::Optional<ffi::Shape>(nullptr).has_value());
  EXPECT(ffi::Optional<ffi::String>(std::in_place, "text") == "text");
  const ffi::Optional<ffi::Shape> shape = ffi::Shape{1};
  ffi::Optional<ffi::ObjectRef> general = shape;
  EXPECT(general.get() == shape.get());
  general = ffi::Optional<ffi::ObjectRef>(ffi::Optional<ffi::Shape>());
  EXPECT(!general.has_value());
  ffi::Optional<ffi::Shape> copy;
  copy = shape;
  EXPECT(copy.same_as(shape));
  EXPECT_EQ(shape->use_count(), 2);
  const std::optional<ffi::Shape> standard = std::move(copy);
  EXPECT(standard.has_value() && standard->same_as(shape.value()));
  EXPECT(!static_cast<std::optional<ffi::Shape>>(ffi::Optional<ffi::Shape>()).has_value());
  EXPECT(std::optional<int>(1) == ffi::Optional<int>(1));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_made_in_place, made_in_place);

// If its new value cannot be constructed, it has none.
void refused_in_place() {
  ffi::Optional<Refusing> none;
  EXPECT_THROWS("ValueError: refused", none.emplace(1));
  EXPECT(!none.has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_refused_in_place, refused_in_place);
