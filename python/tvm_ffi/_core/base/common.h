// SPDX-License-Identifier: Apache-2.0
// What every file of the extension shares: Python, nanobind, the C ABI, and an owner of objects.
#ifndef TVM_FFI_PYTHON_CORE_COMMON_H_
#define TVM_FFI_PYTHON_CORE_COMMON_H_

#include <nanobind/nanobind.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <utility>

namespace tvm_ffi_core {

namespace nb = nanobind;

// Owns one reference to an object of libtvm_ffi.
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

// The contents of an object, which stand directly behind its head.
template <typename Contents>
inline Contents* contents(TVMFFIObject* object) {
  return reinterpret_cast<Contents*>(object + 1);
}

// One strong reference, and the weak one that all strong references hold together.
constexpr uint64_t kSoleReference = (uint64_t{1} << 32) | 1;

inline bool has_sole_owner(const TVMFFIObject* object) {
  return __atomic_load_n(&object->combined_ref_count, __ATOMIC_ACQUIRE) == kSoleReference;
}

inline void clear(TVMFFIAny* value) {
  value->type_index = kTVMFFINone;
  value->zero_padding = 0;
  value->v_int64 = 0;
}

// Text that a caller lends; `text` must be zero-terminated.
inline TVMFFIByteArray byte_array(const char* text) {
  return {text, std::char_traits<char>::length(text)};
}

// True when no Python code may run any more, so that Python references are given up.
inline bool interpreter_is_gone() {
#if PY_VERSION_HEX >= 0x030D0000
  return !Py_IsInitialized() || Py_IsFinalizing();
#else
  return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

// Takes the GIL from any thread. If Python ends meanwhile, the thread never returns from here
// (ended_threads.cc); noexcept makes sure of a frame that can stop it.
inline PyGILState_STATE take_gil() noexcept { return PyGILState_Ensure(); }

// Drops a Python reference from any thread. Whatever a library calls this extension by is
// noexcept, see take_gil.
inline void drop_from_any_thread(PyObject* object) noexcept {
  if (interpreter_is_gone()) return;
  PyGILState_STATE state = take_gil();
  Py_DECREF(object);
  PyGILState_Release(state);
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_COMMON_H_
