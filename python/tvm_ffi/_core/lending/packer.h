// SPDX-License-Identifier: Apache-2.0
// How a Python type is packed as an argument, found once per type.
#ifndef TVM_FFI_PYTHON_CORE_PACKER_H_
#define TVM_FFI_PYTHON_CORE_PACKER_H_

#include "lending/framework.h"
#include "lending/producer.h"

namespace tvm_ffi_core {

struct Packer;
struct Place;

// What an adapter must give beside a word.
struct Need {
  const char* expected;  // for messages
  bool (*is_met)(PyTypeObject* type, const nb::object& given);
};

// How the types of a kind are recognised: by one of three ways.
struct Recognition {
  bool (*is)(PyTypeObject* type);  // by what the type is
  const char* method;              // by a method that it has, which becomes the helper
  const char* word;                // by what its framework's adapter calls it
  const Need* need;                // of that word
};
constexpr Recognition by_type(bool (*is)(PyTypeObject*)) { return {is, nullptr, nullptr, nullptr}; }
constexpr Recognition by_method(const char* name) { return {nullptr, name, nullptr, nullptr}; }
constexpr Recognition by_adapter(const char* word, const Need& need) {
  return {nullptr, nullptr, word, &need};
}

// A kind of Python values that are packed in one way.
struct Kind {
  Recognition recognition;
  // 0, or -1 with a Python error that does not name the argument.
  int (*pack)(const Place& place, PyObject* value, const Packer& packer);
  Fill fill = nullptr;  // of a framework's tensors
};

struct Packer {
  PyTypeObject* type = nullptr;  // owned: a type that was an argument once is never forgotten
  const Kind* kind = nullptr;
  Framework* framework = nullptr;
  PyObject* helper = nullptr;  // owned; the kind says what it is
};

inline bool is_foreign_tensor(const Packer& packer) { return packer.kind->fill != nullptr; }

// The packers that were learnt, by the addresses of their types: open addressing, at most half
// full. Guarded by the GIL.
struct PackerTable {
  const Packer** slots;
  size_t mask;  // the number of slots, a power of two, less one

  // The type's slot, or the empty one where it belongs.
  const Packer** slot_of(PyTypeObject* type) const {
    size_t i = (reinterpret_cast<uintptr_t>(type) >> 4) & mask;
    while (slots[i] != nullptr && slots[i]->type != type) i = (i + 1) & mask;
    return &slots[i];
  }
};
extern PackerTable packers;

// Learns the packer of a type that was never seen; NULL with a Python error when the adapter of
// its framework failed.
const Packer* learn_packer(PyTypeObject* type);

// The packer of the type, which stays where it is; NULL with a Python error. Every argument
// asks.
inline const Packer* find_packer(PyTypeObject* type) {
  const Packer* known = *packers.slot_of(type);
  return known != nullptr ? known : learn_packer(type);
}

// Hands over the kinds, which live as long as the process: types are recognised in their order, and
// the last one takes what no other does. They pack through layers above this one.
void set_kinds(const Kind* first, const Kind* end);

void bind_packer(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PACKER_H_
