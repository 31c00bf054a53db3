// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// reflection/overload.h: methods and constructors with the same name.
#include <tvm/ffi/reflection/overload.h>
#include <tvm/ffi/tvm_ffi.h>

#include <string>
#include <utility>

#include "expect.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class PairObj : public ffi::Object {
 public:
  PairObj() = default;
  explicit PairObj(int64_t x) : x(x), y(x) {}
  PairObj(int64_t x, int64_t y) : x(x), y(y) {}
  int64_t Plus(int64_t more) const { return x + more; }
  double PlusFloat(double more) const { return static_cast<double>(x) + more; }
  ffi::String PlusText(const ffi::String& more) { return std::to_string(x).c_str() + more; }

  int64_t x = 0, y = 0;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_overload.Pair", PairObj, ffi::Object);
};
class PlainObj : public ffi::Object {
 public:
  int64_t x = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_overload.Plain", PlainObj, ffi::Object);
};

using IntArray = ffi::Array<int64_t>;
int64_t SizeOfMoved(ffi::RValueRef<IntArray> array, int64_t more) {
  const IntArray taken = *std::move(array);
  return static_cast<int64_t>(taken.size()) + more + (taken.unique() ? 100 : 0);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::OverloadObjectDef<PairObj>("A pair.")
      .def_ro("x", &PairObj::x, "The first.")
      .def_rw("y", &PairObj::y)
      .def(refl::init<int64_t>())
      .def(refl::init<int64_t, int64_t>())
      .def("plus", &PairObj::Plus, "Adds an int.")
      .def("plus", &PairObj::PlusFloat)
      .def("plus", &PairObj::PlusText)
      .def("only", &PairObj::Plus)
      .def_static("first", [](double) { return "float"; })
      .def_static("first", [](int64_t) { return "int"; })
      .def_static("optional", [](const ffi::Optional<int64_t>& a) { return a.value_or(-1); })
      .def_static("optional",
                  [](const ffi::String& a, const ffi::Optional<int64_t>& b) {
                    return static_cast<int64_t>(a.size()) + b.value_or(10);
                  })
      .def_static("fails",
                  [](int64_t x) {
                    TVM_FFI_CHECK(x > 0, TypeError) << "expected more than 0, got " << x;
                    return "int";
                  })
      .def_static("fails", [](double) { return "float"; })
      .def_static("moved", SizeOfMoved)
      .def_static("moved", [](const ffi::RValueRef<IntArray>&, const ffi::String&) { return -1; })
      .def_static("moved", [](const ffi::Any&, double) { return -2; });
  refl::OverloadObjectDef<PlainObj>().def_ro("x", &PlainObj::x);
}

template <typename... Args>
ffi::Any Call(const char* name, const Args&... args) {
  return refl::GetMethod("test_overload.Pair", name)(args...);
}
ffi::ObjectPtr<PairObj> Pair(int64_t x) { return ffi::make_object<PairObj>(x); }

}  // namespace

// The first function that accepts the arguments is called.
void chosen() {
  EXPECT_EQ(Call("plus", Pair(2), 3).cast<int64_t>(), 5);
  EXPECT_EQ(Call("plus", Pair(2), 0.5).cast<double>(), 2.5);
  EXPECT_EQ(Call("plus", Pair(2), "a").cast<ffi::String>(), "2a");
  EXPECT_EQ(Call("only", Pair(2), 3).cast<int64_t>(), 5);
  EXPECT_EQ(Call("first", 1).cast<ffi::String>(), "float");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_chosen, chosen);

// A trailing Optional may be omitted.
void optional_arguments() {
  EXPECT_EQ(Call("optional").cast<int64_t>(), -1);
  EXPECT_EQ(Call("optional", 3).cast<int64_t>(), 3);
  EXPECT_EQ(Call("optional", "abc").cast<int64_t>(), 13);
  EXPECT_EQ(Call("optional", "abc", 1).cast<int64_t>(), 4);
  const ffi::AnyView args[] = {"abc", "no argument"};
  ffi::Any result;
  refl::GetMethod("test_overload.Pair", "optional").CallPacked(args, 1, &result);
  EXPECT_EQ(result.cast<int64_t>(), 13);
  EXPECT_THROWS_WITH(
      "TypeError: test_overload.Pair.optional: expected arguments that match an overload",
      Call("optional", 1, 1));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_optional_arguments, optional_arguments);

// An error of the chosen function is thrown, and no other function is tried.
void errors_of_the_chosen() {
  EXPECT_EQ(Call("fails", 1).cast<ffi::String>(), "int");
  EXPECT_EQ(Call("fails", 1.5).cast<ffi::String>(), "float");
  EXPECT_THROWS("TypeError: expected more than 0, got 0", Call("fails", 0));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_errors_of_the_chosen, errors_of_the_chosen);

// If none accepts the arguments, all are listed; a name with one function has the plain error.
void refused() {
  EXPECT_THROWS(
      "TypeError: test_overload.Pair.plus: expected arguments that match an overload, got "
      "(test_overload.Pair, None); the overloads are:\n"
      "  test_overload.Pair.plus(test_overload.Pair, int) -> int\n"
      "  test_overload.Pair.plus(test_overload.Pair, float) -> float\n"
      "  test_overload.Pair.plus(test_overload.Pair, str) -> str",
      Call("plus", Pair(2), nullptr));
  EXPECT_THROWS_WITH(
      "TypeError: test_overload.Pair.first: expected arguments that match an overload, got ();",
      Call("first"));
  EXPECT_THROWS(
      "TypeError: test_overload.Pair.only(test_overload.Pair, int) -> int: argument 1: expected "
      "int, got str",
      Call("only", Pair(2), "a"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_refused, refused);

// A moved argument reaches the function that takes it, even after others were tried.
void moved_arguments() {
  EXPECT_EQ(Call("moved", ffi::RValueRef(IntArray{1, 2}), 3).cast<int64_t>(), 105);
  EXPECT_EQ(Call("moved", ffi::RValueRef(IntArray{1, 2}), "a").cast<int64_t>(), -1);
  EXPECT_EQ(Call("moved", ffi::RValueRef(IntArray{1, 2}), 1.5).cast<int64_t>(), -2);
  EXPECT_THROWS_WITH("TypeError: test_overload.Pair.plus: expected",
                     Call("plus", Pair(1), ffi::RValueRef(ffi::ObjectRef(Pair(2)))));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_moved_arguments, moved_arguments);

// Constructors are overloaded too; a type without one has the generated one for its fields.
void constructors() {
  const auto one = Call("__ffi_init__", 4).cast<ffi::ObjectPtr<PairObj>>();
  EXPECT_EQ(one->y, 4);
  const auto two = Call("__ffi_init__", 4, 5).cast<ffi::ObjectPtr<PairObj>>();
  EXPECT_EQ(two->y, 5);
  const refl::TypeAttrColumn column("__ffi_init__");
  const auto init = column[PairObj::RuntimeTypeIndex()].cast<ffi::Function>();
  EXPECT(init.same_as(refl::GetMethod("test_overload.Pair", "__ffi_init__")));
  EXPECT(column[PlainObj::RuntimeTypeIndex()].as<ffi::Function>().has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_constructors, constructors);

// Each function has an entry with its own types and documentation; all entries call the same one.
void entries() {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(PairObj::RuntimeTypeIndex());
  EXPECT_EQ(info->num_fields, 2);
  std::string found;
  for (int32_t i = 0; i < info->num_methods; ++i) {
    const TVMFFIMethodInfo& method = info->methods[i];
    if (std::string_view(method.name.data, method.name.size) != "plus") continue;
    EXPECT_EQ(method.flags, 0);
    found += std::string(method.doc.data, method.doc.size) + ";";
    const std::string metadata(method.metadata.data, method.metadata.size);
    const size_t end = metadata.rfind("\\\"}]}}");
    const size_t begin = metadata.rfind('"', end - 1) + 1;
    found += metadata.substr(begin, end - begin) + ";";
    EXPECT(ffi::AnyView::CopyFromTVMFFIAny(method.method)
               .cast<ffi::Function>()
               .same_as(refl::GetMethod("test_overload.Pair", "plus")));
  }
  EXPECT_EQ(found, "Adds an int.;int;;float;;ffi.String;");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_entries, entries);
