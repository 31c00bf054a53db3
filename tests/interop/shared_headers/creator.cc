// SPDX-License-Identifier: Apache-2.0
// reflection/creator.h: objects made of the values of their fields.
#include <tvm/ffi/reflection/creator.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include "print.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

class PointObj : public ffi::Object {
 public:
  int64_t x = 0, y = 0;
  ffi::String name;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("shared_headers.Point", PointObj, ffi::Object);
};
class FixedObj : public ffi::Object {
 public:
  explicit FixedObj(int64_t x) : x(x) {}
  int64_t x;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("shared_headers.Fixed", FixedObj, ffi::Object);
};
using Fields = ffi::Map<ffi::String, ffi::Any>;

static void Make(const char* type_key, const Fields& fields) {
  Try("make", [&] {
    ffi::Any made = refl::ObjectCreator(type_key)(fields);
    const auto* point = made.as<PointObj>();
    std::cout << point->x << point->y << std::string(point->name) << point->use_count();
  });
}

int main() {
  refl::ObjectDef<PointObj>()
      .def_rw("x", &PointObj::x)
      .def_ro("y", &PointObj::y, refl::DefaultValue(5))
      .def_ro("name", &PointObj::name, refl::DefaultValue("none"));
  refl::ObjectDef<FixedObj>(refl::init(false)).def_ro("x", &FixedObj::x);
  Make("shared_headers.Point", Fields{{"x", 1}, {"y", 2}, {"name", "a"}});
  Make("shared_headers.Point", Fields{{"x", 1}});
  Make("shared_headers.Point", Fields{{"y", 1}});
  Make("shared_headers.Point", Fields{{"x", 1}, {"w", 1}});
  Make("shared_headers.Point", Fields{{"x", "text"}});
  Make("shared_headers.Fixed", Fields{{"x", 1}});
  for (int32_t index : {PointObj::RuntimeTypeIndex(), FixedObj::RuntimeTypeIndex()}) {
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(index);
    std::cout << ffi::HasCreator(info) << "\n";
    Try("empty", [&] { std::cout << ffi::CreateEmptyObject(info)->GetTypeKey(); });
  }
}
