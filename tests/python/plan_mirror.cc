// SPDX-License-Identifier: Apache-2.0
// A C++ class with the layout of a type defined in test_field_types.py.
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class PlanObj : public ffi::Object {
 public:
  int64_t rows;
  double scale;
  bool fused;
  ffi::String name;
  ffi::List<int64_t> sizes;
  DLDataType dtype;
  DLDevice device;
  ffi::Any extra;
  TVM_FFI_DECLARE_OBJECT_INFO("mirror.Plan", PlanObj, ffi::Object);
};
class Plan : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Plan, ffi::ObjectRef, PlanObj);
};

// Reads the members without reflection.
ffi::Array<ffi::Any> Members(const Plan& plan) {
  return {plan->rows,     plan->scale, plan->fused,  plan->name,
          plan->sizes[0], plan->dtype, plan->device, plan->extra};
}

ffi::Any FieldOf(const ffi::ObjectRef& object, const ffi::String& name) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(object->type_index());
  return refl::FieldGetter(refl::GetFieldInfo(info, name))(object);
}

void SetFieldOf(const ffi::ObjectRef& object, const ffi::String& name, const ffi::Any& value) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(object->type_index());
  refl::FieldSetter(refl::GetFieldInfo(info, name))(object, value);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(members, Members);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(field_of, FieldOf);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_field_of, SetFieldOf);
