// SPDX-License-Identifier: Apache-2.0
// Global functions of libtvm_ffi that this extension calls, and their results.
#ifndef TVM_FFI_PYTHON_CORE_RUNTIME_FUNCTION_H_
#define TVM_FFI_PYTHON_CORE_RUNTIME_FUNCTION_H_

#include <string_view>

#include "base/common.h"

namespace tvm_ffi_core {

// The text of a str; `value` must outlive it.
inline std::string_view text_in(const TVMFFIAny& value) {
  if (value.type_index == kTVMFFISmallStr) return {value.v_bytes, value.small_str_len};
  const auto* bytes = contents<TVMFFIByteArray>(value.v_obj);
  return {bytes->data, bytes->size};
}

// The elements of an Array or a Tuple; `value` must outlive them.
inline const TVMFFIAny* elements_of(const TVMFFIAny& value) {
  return static_cast<const TVMFFIAny*>(contents<TVMFFISeqCell>(value.v_obj)->data);
}

inline TVMFFIAny value_of(TVMFFIObject* object) {
  TVMFFIAny value{};
  value.type_index = object->type_index;
  value.v_obj = object;
  return value;
}

inline TVMFFIAny value_of(void* pointer) {
  TVMFFIAny value{};
  value.type_index = kTVMFFIOpaquePtr;
  value.v_ptr = pointer;
  return value;
}

inline TVMFFIAny value_of(int64_t number) {
  TVMFFIAny value{};
  value.type_index = kTVMFFIInt;
  value.v_int64 = number;
  return value;
}

// Owns a function's result; None if the call failed.
class Answer {
 public:
  Answer() { clear(&value_); }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  ~Answer() {
    if (value_.type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(value_.v_obj);
  }
  const TVMFFIAny& value() const { return value_; }
  bool is_none() const { return value_.type_index == kTVMFFINone; }

 private:
  friend class RuntimeFunction;
  TVMFFIAny value_;
};

// A global function, looked up when the extension is loaded, because a later override may return
// anything. Leaked: errors may be shown until the process exits.
class RuntimeFunction {
 public:
  explicit RuntimeFunction(const char* name) {
    const TVMFFIByteArray bytes = byte_array(name);
    TVMFFIFunctionGetGlobal(&bytes, &handle_);
  }

  template <typename... Args>
  void call(Answer* answer, Args... args) const {
    TVMFFIAny values[] = {value_of(args)...};
    if (TVMFFIFunctionCall(handle_, values, sizeof...(Args), &answer->value_) == 0) return;
    ObjectRef dropped;
    TVMFFIErrorMoveFromRaised(dropped.out());
  }

 private:
  TVMFFIObjectHandle handle_ = nullptr;
};

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_RUNTIME_FUNCTION_H_
