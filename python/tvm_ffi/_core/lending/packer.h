// SPDX-License-Identifier: Apache-2.0
// How a Python type is packed as an argument, determined once per type.
#ifndef TVM_FFI_PYTHON_CORE_PACKER_H_
#define TVM_FFI_PYTHON_CORE_PACKER_H_

#include "lending/framework.h"
#include "lending/producer.h"

namespace tvm_ffi_core {

struct Packer;
struct Place;

// The value that an adapter must return with a word.
struct Need {
  const char* expected;  // for messages
  bool (*is_met)(PyTypeObject* type, const nb::object& given);
};

// How the types of a kind are recognised: in one of three ways.
struct Recognition {
  bool (*is)(PyTypeObject* type);  // by the type itself
  const char* method;              // by a method of the type, which becomes the helper
  const char* word;                // by the word of its framework's adapter
  const Need* need;                // for that word
};
constexpr Recognition by_type(bool (*is)(PyTypeObject*)) { return {is, nullptr, nullptr, nullptr}; }
constexpr Recognition by_method(const char* name) { return {nullptr, name, nullptr, nullptr}; }
constexpr Recognition by_adapter(const char* word, const Need& need) {
  return {nullptr, nullptr, word, &need};
}

// A kind of Python values, all packed the same way.
struct Kind {
  Recognition recognition;
  // 0, or -1 with a Python error that does not name the argument.
  int (*pack)(const Place& place, PyObject* value, const Packer& packer);
  Fill fill = nullptr;  // for a framework's tensors
};

struct Packer {
  PyTypeObject* type = nullptr;  // owned: a type once used as an argument is never forgotten
  const Kind* kind = nullptr;
  Framework* framework = nullptr;
  PyObject* helper = nullptr;  // owned; its meaning depends on the kind
};

inline bool is_foreign_tensor(const Packer& packer) { return packer.kind->fill != nullptr; }

// The known packers, hashed by the addresses of their types: open addressing, at most half
// full. Guarded by the GIL.
struct PackerTable {
  const Packer** slots;
  size_t mask;  // the number of slots, a power of two, minus one

  // The type's slot, or the empty slot where it belongs.
  const Packer** slot_of(PyTypeObject* type) const {
    size_t i = (reinterpret_cast<uintptr_t>(type) >> 4) & mask;
    while (slots[i] != nullptr && slots[i]->type != type) i = (i + 1) & mask;
    return &slots[i];
  }
};
extern PackerTable packers;

// Determines the packer of a type not seen before; NULL with a Python error set if its framework's
// adapter failed.
const Packer* learn_packer(PyTypeObject* type);

// The packer of the type, at a stable address; NULL with a Python error set. Called for every
// argument.
inline const Packer* find_packer(PyTypeObject* type) {
  const Packer* known = *packers.slot_of(type);
  return known != nullptr ? known : learn_packer(type);
}

// Registers the kinds, which live as long as the process: types are recognised in that order, and
// the last kind accepts everything else. They pack through layers above this one.
void set_kinds(const Kind* first, const Kind* end);

void bind_packer(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PACKER_H_
