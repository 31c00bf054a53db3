// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// any.h, type_traits.h: what each C++ type accepts exactly, by conversion and not at all; who owns
// it.
#include <tvm/ffi/tvm_ffi.h>

#include <cmath>
#include <limits>
#include <memory>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

// Whether a value is exactly a T, converts to one, or is rejected.
template <typename T>
std::string Fit(const ffi::AnyView& value) {
  const bool strict = value.as<T>().has_value();
  const bool converts = value.try_cast<T>().has_value();
  EXPECT(converts || !strict);
  return strict ? "exact" : converts ? "converts" : "refused";
}

float data[2] = {1, 2};
int64_t shape[1] = {2};
DLTensor lent_tensor{data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};

}  // namespace

// Each type accepts its own values exactly, and only conversions that lose nothing it promises.
void fits() {
  const ffi::String small_dtype("int8"), heap_dtype("float8_e4m3fnuz");
  const ffi::TensorView view(&lent_tensor);
  const ffi::Bytes small_bytes("ab"), heap_bytes("longer than seven");
  const TVMFFIByteArray lent_bytes{"ab", 2};
  TVMFFIAny raw_bytes{};
  raw_bytes.type_index = kTVMFFIByteArrayPtr;
  raw_bytes.v_ptr = const_cast<TVMFFIByteArray*>(&lent_bytes);
  const ffi::Shape some_shape{1, 2};
  const ffi::Function function = ffi::Function::FromTyped([] {});
  const ffi::Tensor tensor =
      ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {1}, {kDLFloat, 32, 1}, {kDLCPU, 0});
  struct Case {
    ffi::AnyView value;
    // int64_t, bool, double, void*, DLDevice, DLDataType, String, Bytes, Shape, Function, Tensor,
    // TensorView
    const char* fits;
  };
  const Case cases[] = {
      {nullptr, "---c-----e--"},
      {3, "ecc---------"},
      {true, "cec---------"},
      {1.5, "--e---------"},
      {static_cast<void*>(data), "---e--------"},
      {DLDevice{kDLCUDA, 1}, "----e-------"},
      {DLDataType{kDLInt, 8, 1}, "-----e------"},
      {"int8", "-----cc-----"},
      {small_dtype, "-----ce-----"},
      {heap_dtype, "-----ce-----"},
      {ffi::AnyView::CopyFromTVMFFIAny(raw_bytes), "-------c----"},
      {small_bytes, "-------e----"},
      {heap_bytes, "-------e----"},
      {some_shape, "--------e---"},
      {function, "---------e--"},
      {tensor, "----------ee"},
      {&lent_tensor, "-----------e"},
      {view, "-----------e"},
  };
  auto letter = [](const std::string& fit) { return fit == "refused" ? '-' : fit[0]; };
  for (const Case& c : cases) {
    const std::string got = {
        letter(Fit<int64_t>(c.value)),     letter(Fit<bool>(c.value)),
        letter(Fit<double>(c.value)),      letter(Fit<void*>(c.value)),
        letter(Fit<DLDevice>(c.value)),    letter(Fit<DLDataType>(c.value)),
        letter(Fit<ffi::String>(c.value)), letter(Fit<ffi::Bytes>(c.value)),
        letter(Fit<ffi::Shape>(c.value)),  letter(Fit<ffi::Function>(c.value)),
        letter(Fit<ffi::Tensor>(c.value)), letter(Fit<ffi::TensorView>(c.value))};
    EXPECT_EQ(got, std::string(c.fits)) << c.value.GetTypeKey();
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_fits, fits);

// A value round-trips unchanged.
void round_trips() {
  EXPECT_EQ(ffi::AnyView(-7).cast<int>(), -7);
  EXPECT_EQ(ffi::AnyView(INT64_MIN).cast<int64_t>(), INT64_MIN);
  EXPECT_EQ(ffi::AnyView(true).cast<bool>(), true);
  EXPECT_EQ(ffi::AnyView(1.5f).cast<float>(), 1.5f);
  EXPECT(std::isnan(ffi::AnyView(std::nan("")).cast<double>()));
  EXPECT_EQ(ffi::AnyView(static_cast<void*>(data)).cast<void*>(), static_cast<void*>(data));
  EXPECT_EQ(ffi::AnyView(DLDevice{kDLCUDA, 3}).cast<DLDevice>(), (DLDevice{kDLCUDA, 3}));
  EXPECT_EQ(ffi::AnyView("float16").cast<DLDataType>(), (DLDataType{kDLFloat, 16, 1}));
  EXPECT_EQ(ffi::AnyView(&lent_tensor).cast<DLTensor*>(), &lent_tensor);
  EXPECT_EQ(ffi::AnyView(ffi::Shape{4, 5}).cast<ffi::Shape>(), ffi::ShapeView({4, 5}));
  EXPECT_EQ(ffi::AnyView(std::string("text")).cast<std::string>(), std::string("text"));
  EXPECT_EQ(ffi::AnyView(static_cast<void*>(nullptr)).type_index(), int32_t{kTVMFFINone});
  EXPECT(ffi::AnyView(nullptr).cast<void*>() == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_round_trips, round_trips);

// An integer that does not fit is rejected, at both ends of each width.
void integer_ranges() {
  EXPECT_EQ(ffi::AnyView(127).cast<int8_t>(), 127);
  EXPECT_EQ(ffi::AnyView(-128).cast<int8_t>(), -128);
  EXPECT_EQ(Fit<int8_t>(ffi::AnyView(1)), std::string("exact"));
  EXPECT(!ffi::AnyView(128).try_cast<int8_t>().has_value());
  EXPECT(!ffi::AnyView(-129).try_cast<int8_t>().has_value());
  EXPECT(!ffi::AnyView(-1).try_cast<uint8_t>().has_value());
  EXPECT(!ffi::AnyView(256).try_cast<uint8_t>().has_value());
  EXPECT(!ffi::AnyView(int64_t{1} << 31).try_cast<int32_t>().has_value());
  EXPECT(!ffi::AnyView(int64_t{1} << 32).try_cast<uint32_t>().has_value());
  EXPECT(!ffi::AnyView(-1).try_cast<uint64_t>().has_value());
  EXPECT(!ffi::AnyView(-1).try_cast<size_t>().has_value());
  EXPECT_EQ(ffi::AnyView(INT64_MAX).cast<uint64_t>(), uint64_t{INT64_MAX});
  EXPECT_THROWS("TypeError: Any: expected int of 8 bits, got int 128",
                ffi::AnyView(128).cast<int8_t>());
  EXPECT_THROWS(
      "ValueError: int: expected at most 9223372036854775807, got "
      "18446744073709551615",
      ffi::AnyView(UINT64_MAX));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_integer_ranges, integer_ranges);

// A strict match requires the integer to be in range: 300 is not an int8_t, -1 not a uint64_t.
void strict_integers_are_in_range() {
  EXPECT(!ffi::AnyView(300).as<int8_t>().has_value());
  EXPECT(!ffi::AnyView(-1).as<uint64_t>().has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_strict_integers_are_in_range, strict_integers_are_in_range);

// A failed cast names the expected and the actual type.
void bad_casts() {
  EXPECT_THROWS("TypeError: Any: expected int, got str", ffi::AnyView("3").cast<int64_t>());
  EXPECT_THROWS("TypeError: Any: expected bool, got float", ffi::AnyView(1.0).cast<bool>());
  EXPECT_THROWS("TypeError: Any: expected Tensor, got None", ffi::Any().cast<ffi::Tensor>());
  EXPECT_THROWS("TypeError: Any: expected Tensor, got Tensor (a view)",
                ffi::AnyView(&lent_tensor).cast<ffi::Tensor>());
  EXPECT_THROWS("TypeError: Any: expected Optional[int], got bytes",
                ffi::AnyView(ffi::Bytes("b")).cast<ffi::Optional<int64_t>>());
  EXPECT_THROWS(
      "ValueError: dtype: expected an element type such as "
      "\"float32\", \"bfloat16\" or \"int8x4\", got \"no\"",
      ffi::AnyView("no").cast<DLDataType>());
  EXPECT_THROWS_WITH("ValueError: dtype: ", ffi::AnyView("no").try_cast<DLDataType>());
  EXPECT(!ffi::AnyView(3).try_cast<DLDataType>().has_value());
  TVMFFIAny unknown{};
  unknown.type_index = 50;
  EXPECT_THROWS("TypeError: Any: expected int, got type index 50",
                ffi::AnyView::CopyFromTVMFFIAny(unknown).cast<int64_t>());
  TVMFFIObjectHandle left = nullptr;
  TVMFFIErrorMoveFromRaised(&left);
  EXPECT(left == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_bad_casts, bad_casts);

// An Any owns one reference; a view of it owns none.
void ownership() {
  ffi::Shape held{1, 2};
  {
    ffi::AnyView view = held;
    EXPECT_EQ(held.use_count(), 1);
    ffi::Any owned = view;
    EXPECT_EQ(held.use_count(), 2);
    ffi::Any copy = owned;
    EXPECT_EQ(held.use_count(), 3);
    ffi::Any moved = std::move(copy);
    EXPECT_EQ(held.use_count(), 3);
    EXPECT(copy == nullptr);  // NOLINT(bugprone-use-after-move)
    ffi::AnyView of_any = moved;
    EXPECT(of_any.same_as(view));
    EXPECT_EQ(held.use_count(), 3);
    owned = moved;
    EXPECT_EQ(held.use_count(), 3);
    auto& self = owned;
    owned = self;
    EXPECT_EQ(held.use_count(), 3);
    owned = 5;
    EXPECT_EQ(held.use_count(), 2);
    ffi::Shape out = moved.cast<ffi::Shape>();
    EXPECT_EQ(held.use_count(), 3);
    EXPECT(out.same_as(held));
    TVMFFIAny given = std::move(moved).MoveToTVMFFIAny();
    EXPECT(moved == nullptr);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(held.use_count(), 3);
    ffi::Any taken = ffi::Any::MoveFromTVMFFIAny(given);
    EXPECT_EQ(held.use_count(), 3);
    EXPECT_EQ(taken.Reset()->type_index, int32_t{kTVMFFINone});
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
  ffi::Any from_temporary = ffi::Shape{3};
  EXPECT_EQ(from_temporary.cast<ffi::Shape>().use_count(), 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_ownership, ownership);

// A value may be moved to itself, or replaced by part of what it owns.
void moved_onto_itself() {
  ffi::Any value = ffi::String("longer than seven bytes");
  auto& self = value;
  value = std::move(self);
  EXPECT_EQ(value.cast<ffi::String>(), "longer than seven bytes");
  value = ffi::Array<ffi::Any>{value, 2};
  value = std::move(const_cast<ffi::Any&>(*value.cast<ffi::Array<ffi::Any>>().get()->begin()));
  EXPECT_EQ(value.cast<ffi::String>(), "longer than seven bytes");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_moved_onto_itself, moved_onto_itself);

// A view cast from a temporary value lives as long as the temporary.
void view_of_a_temporary() {
  const auto make = [] { return ffi::Any(ffi::Shape({3, 4})); };
  EXPECT_EQ(make().cast<const ffi::ShapeObj*>()->data[1], 4);
  ffi::Any owned = make();
  const ffi::Shape taken = std::move(owned).cast<ffi::Shape>();
  EXPECT_EQ(taken.use_count(), 1);
  DLTensor view{};
  EXPECT(!ffi::AnyView(&view).as<ffi::Any>().has_value());
  ffi::Any called;
  ffi::Function::FromTyped([] { return 7; }).CallPacked(nullptr, 0, &called);
  EXPECT_EQ(called.cast<int>(), 7);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_view_of_a_temporary, view_of_a_temporary);

// Borrowed forms become owned in an Any: text, bytes and objects that may be moved.
void lent_forms_are_owned() {
  std::string text = "longer than seven bytes";
  ffi::Any owned{ffi::AnyView(text)};
  text = "gone";
  EXPECT_EQ(owned.type_index(), int32_t{kTVMFFIStr});
  EXPECT_EQ(owned.cast<ffi::String>(), "longer than seven bytes");
  const TVMFFIByteArray bytes{"\0b", 2};
  TVMFFIAny lent{};
  lent.type_index = kTVMFFIByteArrayPtr;
  lent.v_ptr = const_cast<TVMFFIByteArray*>(&bytes);
  EXPECT_EQ(ffi::Any(ffi::AnyView::CopyFromTVMFFIAny(lent)).cast<ffi::Bytes>(),
            ffi::Bytes("\0b", 2));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lent_forms_are_owned, lent_forms_are_owned);

// A view of a literal borrows it; an Any of it owns a copy.
void literals() {
  char text[] = "changeable and long";
  ffi::AnyView view = static_cast<const char*>(text);
  EXPECT_EQ(view.type_index(), int32_t{kTVMFFIRawStr});
  ffi::Any owned = view;
  EXPECT_EQ(owned.type_index(), int32_t{kTVMFFIStr});
  text[0] = 'C';
  EXPECT_EQ(view.cast<std::string>(), std::string("Changeable and long"));
  EXPECT_EQ(owned.cast<std::string>(), std::string("changeable and long"));
  EXPECT_EQ(ffi::AnyView("abc").cast<std::string>(), std::string("abc"));
  EXPECT_EQ(ffi::Any("abc").type_index(), int32_t{kTVMFFISmallStr});
  EXPECT_EQ(ffi::AnyView(static_cast<const char*>(nullptr)).type_index(), int32_t{kTVMFFINone});
  EXPECT(ffi::Any(static_cast<const char*>(nullptr)) == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_literals, literals);

// A std::string lends its text; one with embedded zero bytes would be truncated, and is rejected.
void standard_strings() {
  EXPECT_EQ(ffi::Any(std::string("a\0b", 3)).cast<std::string>(), std::string("a\0b", 3));
  const std::string cut("0123456789\0b", 12);
  EXPECT_THROWS(
      "ValueError: std::string: expected a string without zero bytes, got one at 10; pass a "
      "tvm::ffi::String",
      ffi::AnyView{cut});
  EXPECT_EQ(ffi::AnyView(ffi::String(cut)).cast<std::string>(), cut);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_standard_strings, standard_strings);

// TVMFFIAnyViewToOwnedAny copies lent text and bytes, shares objects, and moves from a variable.
void view_to_owned() {
  TVMFFIAny out{};
  const TVMFFIByteArray lent{"a\0long one", 10};
  TVMFFIAny view{};
  view.type_index = kTVMFFIByteArrayPtr;
  view.v_ptr = const_cast<TVMFFIByteArray*>(&lent);
  EXPECT_EQ(TVMFFIAnyViewToOwnedAny(&view, &out), 0);
  EXPECT_EQ(out.type_index, int32_t{kTVMFFIBytes});
  EXPECT(ffi::Any::MoveFromTVMFFIAny(out).cast<ffi::Bytes>() ==
         std::string_view("a\0long one", 10));

  ffi::Shape shape_to_move{7};
  const ffi::Shape watcher = shape_to_move;
  TVMFFIObject* variable = ffi::ObjectUnsafe::MoveToOwned(std::move(shape_to_move));
  view.type_index = kTVMFFIObjectRValueRef;
  view.v_ptr = &variable;
  EXPECT_EQ(TVMFFIAnyViewToOwnedAny(&view, &out), 0);
  EXPECT(variable == nullptr);
  EXPECT_EQ(out.type_index, int32_t{kTVMFFIShape});
  EXPECT_EQ(watcher.use_count(), 2);
  ffi::Any::MoveFromTVMFFIAny(out);
  EXPECT_EQ(watcher.use_count(), 1);
  EXPECT_EQ(TVMFFIAnyViewToOwnedAny(&view, &out), 0);
  EXPECT_EQ(out.type_index, int32_t{kTVMFFINone});

  view = ffi::AnyView(2.5).CopyToTVMFFIAny();
  EXPECT_EQ(TVMFFIAnyViewToOwnedAny(&view, &out), 0);
  EXPECT_EQ(ffi::Any::MoveFromTVMFFIAny(out).cast<double>(), 2.5);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_view_to_owned, view_to_owned);

// A borrowed tensor has no owner to share: neither an Any nor an Any parameter accepts it.
void nothing_owns_a_lent_tensor() {
  DLTensor tensor{};
  const ffi::AnyView view(&tensor);
  EXPECT_THROWS(
      "TypeError: TVMFFIAnyViewToOwnedAny: any_view: expected a value that can be owned, got a "
      "lent tensor (DLTensor*), whose memory may be gone after the call",
      ffi::Any{view});
  const ffi::Function keep = ffi::Function::FromTyped([](const ffi::Any&) {}, "keep");
  EXPECT_THROWS("TypeError: keep(Any) -> None: argument 0: expected Any, got Tensor (a view)",
                keep(&tensor));
  const ffi::Function look =
      ffi::Function::FromTyped([](ffi::AnyView x) { return x.cast<DLTensor*>()->ndim; });
  EXPECT_EQ(look(&tensor).cast<int>(), 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_nothing_owns_a_lent_tensor, nothing_owns_a_lent_tensor);

// The padding of a value is zero, so that values can be compared bytewise.
void padding_is_zero() {
  for (const ffi::AnyView& view :
       {ffi::AnyView(1), ffi::AnyView(true), ffi::AnyView(1.0), ffi::AnyView(nullptr),
        ffi::AnyView(DLDataType{kDLInt, 8, 1}), ffi::AnyView(&lent_tensor)}) {
    EXPECT_EQ(view.CopyToTVMFFIAny().zero_padding, 0u) << view.GetTypeKey();
  }
  EXPECT_EQ(ffi::AnyView(DLDataType{kDLInt, 8, 1}).CopyToTVMFFIAny().v_uint64 >> 32, 0u);
  EXPECT(ffi::AnyView(1).same_as(ffi::Any(1)));
  EXPECT(!ffi::AnyView(1).same_as(ffi::AnyView(1.0)));
  EXPECT(!ffi::AnyView(1).same_as(ffi::AnyView(2)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_padding_is_zero, padding_is_zero);

// An exact type can be required; reset and swap do what their names say.
void exact_values() {
  ffi::Any number = 3;
  EXPECT_EQ(number.as_or_throw<int>(), 3);
  EXPECT_THROWS("TypeError: Any: expected float, got int 3", number.as_or_throw<double>());
  EXPECT_THROWS("TypeError: Any: expected int, got bool",
                ffi::AnyView(true).as_or_throw<int64_t>());
  ffi::Any text = "x";
  number.swap(text);
  EXPECT_EQ(text.cast<int>(), 3);
  text.reset();
  EXPECT(text == nullptr);
  ffi::AnyView view = number;
  view.reset();
  EXPECT(view == nullptr && number.cast<std::string>() == "x");
  ffi::AnyView one = 1, two = 2;
  one.swap(two);
  EXPECT(one.cast<int>() == 2 && two.cast<int>() == 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_exact_values, exact_values);

// A cast from an rvalue Any moves out of it, so that the result may be the only owner.
void moving_casts() {
  ffi::Any any = ffi::Shape{1};
  const ffi::Shape shape = std::move(any).cast<ffi::Shape>();
  EXPECT_EQ(shape.use_count(), 1);
  EXPECT(any == nullptr);  // NOLINT(bugprone-use-after-move)
  ffi::Any kept = 3;
  EXPECT_THROWS("TypeError: Any: expected str, got int 3", std::move(kept).cast<ffi::String>());
  EXPECT_EQ(kept.cast<int>(), 3);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_moving_casts, moving_casts);

// The object itself can be accessed as a borrowed pointer.
void object_pointers() {
  const ffi::Shape shape{1, 2};
  const ffi::Any any = shape;
  const ffi::ShapeObj* object = any.as<ffi::ShapeObj>();
  EXPECT_EQ(object, shape.get());
  EXPECT_EQ(shape.use_count(), 2);
  EXPECT(any.as<ffi::Object>() != nullptr);
  EXPECT(any.as<ffi::FunctionObj>() == nullptr);
  EXPECT(ffi::Any(1).as<ffi::Object>() == nullptr);
  EXPECT(ffi::Any().as<ffi::Object>() == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_object_pointers, object_pointers);

// None is exactly a nullable handle, and never a non-nullable one.
void nullable_handles() {
  EXPECT(ffi::Any().as<ffi::Function>().has_value());
  EXPECT(!ffi::Any().cast<ffi::Function>().defined());
  EXPECT(ffi::Any().as<ffi::ObjectRef>().has_value());
  EXPECT(!ffi::Any().as<ffi::Shape>().has_value());
  EXPECT(!ffi::Any().as<ffi::Tensor>().has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_nullable_handles, nullable_handles);

namespace {

enum class Color : uint8_t { kRed = 1, kBlue = 2 };
enum Plain { kPlain = 7 };

}  // namespace

// Enumerations are passed as integers; one that does not fit is rejected.
void enumerations() {
  const ffi::Any blue = Color::kBlue;
  EXPECT_EQ(blue.type_index(), int32_t{kTVMFFIInt});
  EXPECT(blue.cast<Color>() == Color::kBlue && ffi::Any(1).as<Color>() == Color::kRed);
  EXPECT_EQ(ffi::Any(kPlain).cast<int>(), 7);
  EXPECT(ffi::Any(true).try_cast<Color>() == Color::kRed);
  EXPECT(!ffi::Any("red").try_cast<Color>().has_value());
  EXPECT_THROWS("TypeError: Any: expected unsigned int of 8 bits, got int 256",
                ffi::Any(256).cast<Color>());
  const auto other = ffi::Function::FromTyped(
      [](Color color) { return color == Color::kRed ? Color::kBlue : Color::kRed; });
  EXPECT(other(Color::kRed).cast<Color>() == Color::kBlue);
  EXPECT_EQ(ffi::TypeTraits<Color>::TypeSchema(), R"({"type":"int"})");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_enumerations, enumerations);

// An owner of an object is passed as the object, with its own reference; a null one is None.
void object_owners() {
  auto owner = ffi::make_object<ffi::Object>();
  {
    const ffi::Any value = owner;
    EXPECT_EQ(owner.use_count(), 2);
    EXPECT(value.cast<ffi::ObjectPtr<ffi::Object>>() == owner);
    const auto same = ffi::Function::FromTyped([](ffi::ObjectPtr<ffi::Object> ptr) { return ptr; });
    EXPECT(same(owner).cast<ffi::ObjectPtr<ffi::Object>>() == owner);
    EXPECT(!ffi::Any(1).as<ffi::ObjectPtr<ffi::Object>>().has_value());
  }
  EXPECT(owner.unique());
  EXPECT(ffi::Any(ffi::ObjectPtr<ffi::Object>()) == nullptr);
  EXPECT(!ffi::Any().cast<ffi::ObjectPtr<ffi::Object>>());
  const ffi::Any moved = std::move(owner);
  EXPECT(!owner && moved.as<ffi::Object>()->unique());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_object_owners, object_owners);

// A value is the same as a handle if it holds the handle's object, or if both are empty.
void same_as_a_handle() {
  const ffi::Shape shape{1, 2};
  const ffi::Any any = shape;
  EXPECT(any.same_as(shape) && ffi::AnyView(shape).same_as(shape));
  EXPECT(any.same_as(ffi::ObjectRef(shape)) && !any.same_as(ffi::Shape{1, 2}));
  EXPECT(!any.same_as(ffi::ObjectRef()) && !ffi::Any().same_as(shape));
  EXPECT(ffi::Any().same_as(ffi::ObjectRef()) && !ffi::Any(1).same_as(ffi::ObjectRef()));
  // The bits of a number may be those of an address.
  EXPECT(!ffi::Any(reinterpret_cast<int64_t>(shape.get())).same_as(shape));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_same_as_a_handle, same_as_a_handle);

// Hand-written code may set only the type of None.
void none_with_a_payload() {
  TVMFFIAny none{};
  none.type_index = kTVMFFINone;
  none.v_uint64 = 0xffffffff;
  const ffi::AnyView view = ffi::AnyView::CopyFromTVMFFIAny(none);
  EXPECT(view == nullptr);
  EXPECT(view.cast<ffi::Function>() == nullptr);
  EXPECT(view.cast<ffi::ObjectRef>() == nullptr);
  EXPECT(view.cast<ffi::ObjectPtr<ffi::Object>>() == nullptr);
  EXPECT(!view.cast<ffi::Optional<ffi::Function>>().has_value());
  EXPECT(!view.cast<ffi::Optional<ffi::String>>().has_value());
  EXPECT(view.cast<void*>() == nullptr);
  const ffi::Any owner = view;
  EXPECT(owner == nullptr && owner.cast<ffi::Function>() == nullptr);
  EXPECT(owner.same_as(ffi::ObjectRef()));
  const auto is_none = ffi::Function::FromTyped([](ffi::Function f) { return f == nullptr; });
  EXPECT(is_none(view).cast<bool>());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_none_with_a_payload, none_with_a_payload);
