// SPDX-License-Identifier: Apache-2.0
// Finds a device tensor in a container.
#include "conversion/container_device.h"

#include <tvm/ffi/container/map_base.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "objects/container_instance.h"
#include "values/stream.h"

namespace tvm_ffi_core {

namespace {

const LentTensor* as_device_tensor(TVMFFIObject* object) {
  const LentTensor* lent = object->type_index == kTVMFFITensor ? lent_tensor_of(object) : nullptr;
  return lent != nullptr && has_streams(lent->tensor.device.device_type) ? lent : nullptr;
}

// Visits the elements, or the values of a mapping, that are objects, in order.
template <typename Visit>
void for_each_object(TVMFFIObject* container, Visit visit) {
  if (is_sequence(container->type_index)) {
    const auto* cell = contents<TVMFFISeqCell>(container);
    const auto* elements = static_cast<const TVMFFIAny*>(cell->data);
    for (int64_t i = 0; i < cell->size; ++i) {
      if (elements[i].type_index < kTVMFFIStaticObjectBegin) continue;
      if (!visit(elements[i].v_obj)) return;
    }
  } else {
    for (const auto& pair : *reinterpret_cast<tvm::ffi::MapBaseObj*>(container)) {
      TVMFFIAny value = pair.second.CopyToTVMFFIAny();
      if (value.type_index >= kTVMFFIStaticObjectBegin && !visit(value.v_obj)) return;
    }
  }
}

// Visits each container once: it may be held several times, and a List may hold itself.
const LentTensor* device_tensor_in(TVMFFIObject* container) {
  std::unordered_set<TVMFFIObject*> seen;
  std::vector<TVMFFIObject*> waiting = {container};
  while (!waiting.empty()) {
    TVMFFIObject* next = waiting.back();
    waiting.pop_back();
    if (const LentTensor* found = as_device_tensor(next)) return found;
    if (next->type_index == kTVMFFITensor || !seen.insert(next).second) continue;
    const size_t before = waiting.size();
    for_each_object(next, [&](TVMFFIObject* object) {
      int32_t type = object->type_index;
      if (type != kTVMFFITensor && !is_sequence(type) && !is_mapping(type)) return true;
      waiting.push_back(object);
      // Elements after the first device tensor do not matter.
      return as_device_tensor(object) == nullptr;
    });
    std::reverse(waiting.begin() + static_cast<std::ptrdiff_t>(before), waiting.end());
  }
  return nullptr;
}

}  // namespace

const LentTensor* first_device_tensor(TVMFFIObject* container) {
  // A program without such tensors need not visit every element.
  return device_tensor_was_lent ? device_tensor_in(container) : nullptr;
}

}  // namespace tvm_ffi_core
