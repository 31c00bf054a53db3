// SPDX-License-Identifier: Apache-2.0
// Destruction of deeply nested containers.
#include "containers/container_deletion.h"

#include <vector>

namespace tvm_ffi_core {

namespace {

// Each nesting level of a deletion takes a few stack frames. Beyond kDeepest levels, deletions are
// deferred until the stack unwinds.
constexpr int kDeepest = 128;

struct Deletion {
  void (*deleter)(void*, int);
  void* object;
  int flags;
};

thread_local int deletion_depth = 0;
thread_local std::vector<Deletion>* waiting_deletions = nullptr;

void delete_flat(void (*deleter)(void*, int), void* object, int flags) {
  if (deletion_depth == kDeepest) {
    if (waiting_deletions == nullptr) waiting_deletions = new std::vector<Deletion>();
    waiting_deletions->push_back({deleter, object, flags});
    return;
  }
  ++deletion_depth;
  deleter(object, flags);
  --deletion_depth;
  if (deletion_depth != 0 || waiting_deletions == nullptr) return;
  std::vector<Deletion>* waiting = waiting_deletions;
  while (!waiting->empty()) {
    Deletion next = waiting->back();
    waiting->pop_back();
    ++deletion_depth;
    next.deleter(next.object, next.flags);
    --deletion_depth;
  }
  delete std::exchange(waiting_deletions, nullptr);
}

// The original deleter, from the headers, of each of the four types.
void (*plain_deleters[4])(void*, int);

template <int kSlot>
void delete_container(void* object, int flags) {
  delete_flat(plain_deleters[kSlot], object, flags);
}

}  // namespace

void flatten_deletion(TVMFFIObject* container) {
  static constexpr void (*kFlat[])(void*, int) = {delete_container<0>, delete_container<1>,
                                                  delete_container<2>, delete_container<3>};
  int slot = container->type_index == kTVMFFIArray  ? 0
             : container->type_index == kTVMFFIList ? 1
             : container->type_index == kTVMFFIMap  ? 2
                                                    : 3;
  plain_deleters[slot] = container->deleter;
  container->deleter = kFlat[slot];
}

}  // namespace tvm_ffi_core
