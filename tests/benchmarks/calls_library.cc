// SPDX-License-Identifier: Apache-2.0
// The functions timed by calls.py, built once with our headers and once with the published ones.
//
// They do almost nothing: the time is that of the way from Python into them and back.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

namespace ffi = tvm::ffi;
using View = ffi::TensorView;

namespace {

class PointObj : public ffi::Object {
 public:
  static constexpr bool _type_mutable = true;
  int64_t x = 3, y = 4;
  int64_t plus(int64_t more) const { return x + more; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("calls_library.Point", PointObj, ffi::Object);
};
class Point : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Point, ffi::ObjectRef, PointObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::ObjectDef<PointObj>()
      .def_ro("x", &PointObj::x)
      .def_rw("y", &PointObj::y)
      .def("plus", &PointObj::plus);
}

void none() {}
void one_int(int64_t) {}
void three_floats(double, double, double) {}
void three_named(double, double, double) {}
void one_tensor(View) {}
void three_tensors(View, View, View) {}
void eight_tensors(View, View, View, View, View, View, View, View) {}
void four_optionals(ffi::Optional<ffi::Tensor>, ffi::Optional<ffi::String>,
                    ffi::Optional<ffi::Shape>, ffi::Optional<int64_t>) {}
ffi::String same_string(ffi::String x) { return x; }
int64_t ints(ffi::Array<int64_t> x) { return static_cast<int64_t>(x.size()); }
int64_t tensors(ffi::Array<ffi::Tensor> x) { return static_cast<int64_t>(x.size()); }
int64_t map(ffi::Map<ffi::String, int64_t> x) { return static_cast<int64_t>(x.size()); }
int64_t shape(ffi::Shape x) { return static_cast<int64_t>(x.size()); }
ffi::Tensor same_tensor(ffi::Tensor x) { return x; }
ffi::Tensor like(View x) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, x.shape(), x.dtype(), x.device());
}
void fail() { TVM_FFI_THROW(ValueError) << "on purpose"; }
void call_back(ffi::Function f, int64_t times) {
  for (int64_t i = 0; i < times; ++i) f(i);
}
void call_back_with_tensor(ffi::Function f, ffi::Tensor x, int64_t times) {
  for (int64_t i = 0; i < times; ++i) f(x).cast<ffi::Tensor>();
}
Point point() { return Point(ffi::make_object<PointObj>()); }

// For leaks.py, and for the test that it detects leaks.
int64_t use_count(ffi::ObjectRef x) { return x.use_count(); }
void leak_share(ffi::ObjectRef x) { new ffi::ObjectRef(x); }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(none, none);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(one_int, one_int);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(three_floats, three_floats);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(three_named, three_named);
#ifdef TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES  // the published headers have no names
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(three_named, "a", "b", "c");
#endif
TVM_FFI_DLL_EXPORT_TYPED_FUNC(one_tensor, one_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(three_tensors, three_tensors);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(eight_tensors, eight_tensors);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(four_optionals, four_optionals);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(same_string, same_string);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(ints, ints);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tensors, tensors);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(map, map);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(shape, shape);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(same_tensor, same_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(like, like);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, fail);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_back, call_back);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_back_with_tensor, call_back_with_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(point, point);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(use_count, use_count);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(leak_share, leak_share);
