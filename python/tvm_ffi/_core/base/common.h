// SPDX-License-Identifier: Apache-2.0
// Shared by every file of the extension: Python, nanobind, the C ABI, and owning references.
#ifndef TVM_FFI_PYTHON_CORE_COMMON_H_
#define TVM_FFI_PYTHON_CORE_COMMON_H_

#include <nanobind/nanobind.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <utility>

namespace tvm_ffi_core {

namespace nb = nanobind;

// Owns one reference to a libtvm_ffi object.
class ObjectRef {
 public:
  ObjectRef() = default;
  explicit ObjectRef(TVMFFIObjectHandle owned) : object_(static_cast<TVMFFIObject*>(owned)) {}
  ObjectRef(ObjectRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ObjectRef& operator=(ObjectRef&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ObjectRef(const ObjectRef&) = delete;
  ObjectRef& operator=(const ObjectRef&) = delete;
  ~ObjectRef() {
    if (object_ != nullptr) TVMFFIObjectDecRef(object_);
  }
  TVMFFIObject* get() const { return object_; }
  TVMFFIObject* release() { return std::exchange(object_, nullptr); }
  // For a C function that writes a new reference.
  TVMFFIObjectHandle* out() { return reinterpret_cast<TVMFFIObjectHandle*>(&object_); }

 private:
  TVMFFIObject* object_ = nullptr;
};

// The contents of an object, which directly follow its header.
template <typename Contents>
inline Contents* contents(TVMFFIObject* object) {
  return reinterpret_cast<Contents*>(object + 1);
}

// One strong reference, and the weak one that all strong references hold collectively.
constexpr uint64_t kSoleReference = (uint64_t{1} << 32) | 1;

inline bool has_sole_owner(const TVMFFIObject* object) {
  return __atomic_load_n(&object->combined_ref_count, __ATOMIC_ACQUIRE) == kSoleReference;
}

inline void clear(TVMFFIAny* value) {
  value->type_index = kTVMFFINone;
  value->zero_padding = 0;
  value->v_int64 = 0;
}

// Borrows the text; `text` must be NUL-terminated.
inline TVMFFIByteArray byte_array(const char* text) {
  return {text, std::char_traits<char>::length(text)};
}

// True once Python code can no longer run; Python references are then leaked.
inline bool interpreter_is_gone() {
#if PY_VERSION_HEX >= 0x030D0000
  return !Py_IsInitialized() || Py_IsFinalizing();
#else
  return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

// Acquires the GIL from any thread. If Python shuts down meanwhile, this never returns
// (ended_threads.cc); noexcept guarantees a frame whose personality routine can park the thread.
inline PyGILState_STATE take_gil() noexcept { return PyGILState_Ensure(); }

// Drops a Python reference from any thread. Every function through which a library calls this
// extension is noexcept; see take_gil.
inline void drop_from_any_thread(PyObject* object) noexcept {
  if (interpreter_is_gone()) return;
  PyGILState_STATE state = take_gil();
  Py_DECREF(object);
  PyGILState_Release(state);
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_COMMON_H_
