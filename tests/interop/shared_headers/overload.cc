// SPDX-License-Identifier: Apache-2.0
// reflection/overload.h: methods and constructors of one name.
#include <tvm/ffi/reflection/overload.h>
#include <tvm/ffi/tvm_ffi.h>

#include "print.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

class PairObj : public ffi::Object {
 public:
  PairObj() = default;
  explicit PairObj(int64_t x) : x(x), y(x) {}
  PairObj(int64_t x, int64_t y) : x(x), y(y) {}
  int64_t Plus(int64_t more) const { return x + more; }
  double PlusFloat(double more) const { return static_cast<double>(x) + more; }
  ffi::String PlusText(const ffi::String& more) { return more + "!"; }

  int64_t x = 0, y = 0;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("shared_headers.Pair", PairObj, ffi::Object);
};

template <typename... Args>
static void Call(const char* name, const Args&... args) {
  Try(name, [&] {
    const ffi::Any result = refl::GetMethod("shared_headers.Pair", name)(args...);
    if (auto integer = result.as<int64_t>()) {
      std::cout << "int " << *integer;
    } else if (auto number = result.as<double>()) {
      std::cout << "float " << *number;
    } else if (auto text = result.as<ffi::String>()) {
      std::cout << "str " << std::string(*text);
    } else if (const auto* pair = result.as<PairObj>()) {
      std::cout << pair->x << pair->y;
    }
  });
}

int main() {
  refl::OverloadObjectDef<PairObj>("A pair.")
      .def_ro("x", &PairObj::x, "The first.")
      .def_rw("y", &PairObj::y)
      .def(refl::init<int64_t>())
      .def(refl::init<int64_t, int64_t>())
      .def("plus", &PairObj::Plus)
      .def("plus", &PairObj::PlusFloat)
      .def("plus", &PairObj::PlusText)
      .def("only", &PairObj::Plus)
      .def_static("first", [](double x) { return x + 0.5; })
      .def_static("first", [](int64_t x) { return x; })
      .def_static("fails",
                  [](int64_t x) {
                    if (x <= 0) TVM_FFI_THROW(IndexError) << x;
                    return x;
                  })
      .def_static("fails", [](double x) { return x; });
  const ffi::ObjectRef pair(ffi::make_object<PairObj>(5));
  Call("plus", pair, 1);
  Call("plus", pair, 1.5);
  Call("plus", pair, "text");
  Call("plus", pair, pair);
  Call("plus", pair);
  Call("plus", pair, 1, 2);
  Call("plus", 1, 1);
  Call("only", pair, 1);
  Call("only", pair, "text");
  Call("first", 1);
  Call("fails", 1);
  Call("fails", 0);
  Call("fails", 1.5);
  Call("__ffi_init__", 4);
  Call("__ffi_init__", 4, 5);
  Call("__ffi_init__");
  Call("__ffi_init__", "text");
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(PairObj::RuntimeTypeIndex());
  for (int32_t i = 0; i < info->num_methods; ++i) {
    const TVMFFIMethodInfo& method = info->methods[i];
    std::cout << std::string(method.name.data, method.name.size) << " " << method.flags << " "
              << std::string(method.metadata.data, method.metadata.size) << "\n";
  }
}
