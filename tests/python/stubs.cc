// SPDX-License-Identifier: Apache-2.0
// Functions and types of every kind supported by tvm-ffi-stubgen; either package compiles it.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/rvalue_ref.h>
#include <tvm/ffi/tvm_ffi.h>

#include <string>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

// Has its own constructor, with as many parameters as fields.
class PairObj : public ffi::Object {
 public:
  int64_t a, b;
  PairObj(int64_t a, int64_t b) : a(a), b(b) {}
  int64_t sum() const { return a + b; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("stubs.Pair", PairObj, ffi::Object);
};
class Pair : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Pair, ffi::ObjectRef, PairObj);
};

// Has its own constructor with fewer parameters than fields, as well as its parent's.
class TripleObj : public PairObj {
 public:
  double c;
  ffi::List<int64_t> items;
  ffi::Optional<ffi::String> name;
  TripleObj(int64_t a, double c) : PairObj(a, a), c(c) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("stubs.inner.Triple", TripleObj, PairObj);
};

// The constructor is generated from its fields.
class OptionsObj : public ffi::Object {
 public:
  int64_t level = 0, width = 0, hidden = 0;
  ffi::String unit;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("stubs.Options", OptionsObj, ffi::Object);
};

// No constructor.
class LockedObj : public ffi::Object {
 public:
  int64_t level = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("stubs.Locked", LockedObj, ffi::Object);
};

using Callback = ffi::TypedFunction<ffi::List<int64_t>(ffi::List<int64_t>)>;

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PairObj>("A pair.")
      .def(refl::init<int64_t, int64_t>())
      .def_rw("a", &PairObj::a, "The first.")
      .def_ro("b", &PairObj::b)
      .def("sum", &PairObj::sum, "Add both.")
      .def("plus",
           [](PairObj* self, const Pair& other) {
             return Pair(ffi::make_object<PairObj>(self->a + other->a, self->b + other->b));
           })
      .def_static("zero", [] { return Pair(ffi::make_object<PairObj>(0, 0)); });
  refl::ObjectDef<TripleObj>()
      .def(refl::init<int64_t, double>())
      .def_ro("c", &TripleObj::c)
      .def_rw("items", &TripleObj::items)
      .def_ro("name", &TripleObj::name);
  refl::ObjectDef<OptionsObj>()
      .def_ro("level", &OptionsObj::level, refl::default_value(1))
      .def_ro("width", &OptionsObj::width)
      .def_ro("hidden", &OptionsObj::hidden, refl::init(false))
      .def_ro("unit", &OptionsObj::unit, refl::kw_only(true), refl::default_value("ms"));
  refl::ObjectDef<LockedObj>(refl::init(false)).def_ro("level", &LockedObj::level);
  refl::GlobalDef()
      .def(
          "stubs.add_one", [](int64_t x) { return x + 1; }, "Adds \"one\".\n\nBackslash: \\.")
      .def("stubs.scale", [](ffi::TensorView, double, ffi::TensorView) {})
      .def("stubs.plain", [](bool, const ffi::String&, const ffi::Bytes&, DLDataType dtype,
                             DLDevice, const ffi::Shape&, void*) { return dtype; })
      .def("stubs.containers",
           [](const ffi::Array<ffi::Tensor>&, const ffi::List<int64_t>& list,
              const ffi::Map<ffi::String, ffi::Any>&, const ffi::Dict<ffi::String, int64_t>&,
              const ffi::Tuple<int64_t, double>&) { return list; })
      .def("stubs.dict", [](const ffi::Dict<ffi::String, int64_t>& dict) { return dict; })
      .def("stubs.choices",
           [](const ffi::Optional<ffi::Tensor>& tensor, const ffi::Variant<int64_t, ffi::String>&,
              const ffi::Optional<ffi::Variant<int64_t, ffi::String>>&) { return tensor; })
      .def("stubs.callbacks", [](const ffi::Function&, const Callback& f) { return f; })
      .def("stubs.objects",
           [](const Pair& pair, const ffi::ObjectRef&, const ffi::Error&) { return pair; })
      .def_packed("stubs.packed", [](ffi::PackedArgs, ffi::Any*) {})
      .def("stubs.inner.minus", [](int64_t x, const Pair&) { return x - 1; })
      .def("stubs.odd.lambda", [](int64_t x) { return x; })
      .def("stubs.odd.moved", [](ffi::RValueRef<Pair> pair) { return *std::move(pair); })
      .def(
          "stubs.odd.named", [](int64_t x, int64_t y) { return x - y; },
          refl::Metadata({{"arg_names", "x, y"}}));
}

void Scale(double factor, ffi::TensorView x, ffi::TensorView y) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    static_cast<float*>(y.data_ptr())[i] =
        static_cast<float>(factor) * static_cast<float*>(x.data_ptr())[i];
  }
}
int64_t Count(const ffi::Array<int64_t>& values, ffi::Optional<int64_t> start, int64_t times,
              ffi::Optional<int64_t> step) {
  return start.value_or(0) + times * step.value_or(1) * static_cast<int64_t>(values.size());
}
ffi::Any Same(ffi::Any result) { return result; }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, Scale);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(scale, "y = factor * x.\n\nBoth are float32.");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count, Count);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(same, Same);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lambda, Same);

// A function of the C ABI without metadata.
extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_raw(void*, const TVMFFIAny*, int32_t num_args,
                                                TVMFFIAny* result) {
  result->type_index = kTVMFFIInt;
  result->v_int64 = num_args;
  return 0;
}
