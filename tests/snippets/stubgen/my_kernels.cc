// SPDX-License-Identifier: Apache-2.0
// A function and a type that the library registers when it is loaded.
// [library.begin]
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class RangeObj : public ffi::Object {
 public:
  int64_t first, last;
  RangeObj(int64_t first, int64_t last) : first(first), last(last) {}
  int64_t size() const { return last - first; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("my_kernels.Range", RangeObj, ffi::Object);
};
class Range : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Range, ffi::ObjectRef, RangeObj);
};

ffi::Array<int64_t> Steps(const Range& range, int64_t step) {
  TVM_FFI_CHECK(step > 0, ValueError) << "steps: step must be positive, got " << step;
  ffi::Array<int64_t> steps;
  for (int64_t i = range->first; i < range->last; i += step) steps.push_back(i);
  return steps;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<RangeObj>()
      .def(refl::init<int64_t, int64_t>())
      .def_ro("first", &RangeObj::first)
      .def_ro("last", &RangeObj::last)
      .def("size", &RangeObj::size);
  refl::GlobalDef().def("my_kernels.steps", Steps);
}

}  // namespace
// [library.end]
