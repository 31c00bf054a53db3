// SPDX-License-Identifier: Apache-2.0
// Rejects views whose elements are negated or conjugated on read, which DLPack cannot express.
#include "lending/lazy_view.h"

#include <optional>

namespace tvm_ffi_core {

namespace {

// The size of a TensorImpl since PyTorch 2.10, the first release with a DLPack table.
constexpr size_t kTensorImplSize = 176;

uint64_t word_at(const void* base, size_t offset) {
  uint64_t word;
  std::memcpy(&word, static_cast<const char*>(base) + offset, sizeof(word));
  return word;
}

// The only offset of a word that `fits`; empty if there are none or several.
template <typename Fits>
std::optional<size_t> only_offset(size_t begin, size_t end, Fits fits) {
  std::optional<size_t> found;
  for (size_t offset = begin; offset + sizeof(uint64_t) <= end; offset += sizeof(uint64_t)) {
    if (!fits(offset)) continue;
    if (found) return std::nullopt;
    found = offset;
  }
  return found;
}

// Rejects the tensor if the framework's method reports that elements are changed on read.
int ask(PyObject* method, PyObject* tensor, const char* problem) {
  nb::object answer = nb::steal(PyObject_CallOneArg(method, tensor));
  if (!answer.is_valid()) return -1;
  if (!answer.is(nb::handle(Py_True))) return 0;
  PyErr_SetString(PyExc_ValueError, problem);
  return -1;
}

// Determines where tensors of two types store their keys. Each sample is (tensor, address of its
// TensorImpl, its keys). Returns false and stores nothing if the samples are inconclusive.
bool learn_lazy_bits(Framework* framework, nb::type_object tensor, nb::type_object parameter,
                     nb::list samples, uint64_t mask) {
  auto* tensor_type = reinterpret_cast<PyTypeObject*>(tensor.ptr());
  size_t object_size = static_cast<size_t>(tensor_type->tp_basicsize);
  auto all = [&](auto fits) {
    for (nb::handle sample : samples) {
      if (!fits(sample[0], nb::cast<uint64_t>(sample[1]), nb::cast<uint64_t>(sample[2]))) {
        return false;
      }
    }
    return samples.size() > 0;
  };
  std::optional<size_t> impl_at = only_offset(sizeof(PyObject), object_size, [&](size_t offset) {
    return all([&](nb::object sample, uint64_t address, uint64_t) {
      return word_at(sample.ptr(), offset) == address;
    });
  });
  if (!impl_at) return false;
  std::optional<size_t> keys_at = only_offset(0, kTensorImplSize, [&](size_t offset) {
    return all([&](nb::object, uint64_t address, uint64_t keys) {
      return word_at(reinterpret_cast<const void*>(address), offset) == keys;
    });
  });
  if (!keys_at) return false;
  tensor.release();  // kept, as frameworks are never freed
  framework->lazy_bits =
      new LazyBits{tensor_type, reinterpret_cast<PyTypeObject*>(parameter.release().ptr()),
                   *impl_at, *keys_at, mask};
  return true;
}

}  // namespace

int ask_whether_lazy(const Framework* framework, DLDataType dtype, PyObject* tensor) {
  if (framework->is_negative != nullptr && dtype.code != kDLBool &&
      ask(framework->is_negative, tensor,
          "expected a tensor whose memory holds its values, got a view that is negated when read; "
          "pass "
          "x.resolve_neg()") != 0) {
    return -1;
  }
  if (framework->is_conjugate != nullptr && dtype.code == kDLComplex) {
    return ask(
        framework->is_conjugate, tensor,
        "expected a tensor whose memory holds its values, got a view that is conjugated when read; "
        "pass x.resolve_conj()");
  }
  return 0;
}

void bind_lazy_view(nb::module_& module) {
  module.def("learn_lazy_bits", &learn_lazy_bits, nb::arg("framework"), nb::arg("tensor"),
             nb::arg("parameter"), nb::arg("samples"), nb::arg("mask"));
}

}  // namespace tvm_ffi_core
