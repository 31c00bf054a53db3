// SPDX-License-Identifier: Apache-2.0
// The locks of this library, which are free in a forked child.
#ifndef TVM_FFI_SRC_LOCKS_H_
#define TVM_FFI_SRC_LOCKS_H_

#include <tvm/ffi/object.h>

#include <mutex>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// What the locks guard, in the order in which code that needs more than one must acquire them.
//
// Only the forking thread survives in the child. A lock held by another thread would never be
// released there, so a fork first acquires all of them. Hence no lock may be held while external
// code runs: a factory, a deleter, the loader, Python. The guarded data is created while this
// library loads: a static variable that another thread was initialising would stay so in the child.
enum class Guarded {
  kModules,
  kSymbols,
  kStore,
  kTurns,
  kGlobalFunctions,
  kTypes,
  kLibraries,
  kBacktraces,
  kLoadedLibraries,  // calls to dl_iterate_phdr, whose own lock a fork does not free
  kEnd               // not a lock
};

std::mutex& LockOf(Guarded what);

// For a fork: acquire all of them, in order, and release them in the parent or in the child.
void LockAll();
void UnlockAll();
void UnlockAllInChild();

// Whether a fork after the loading of this library created this process.
bool IsForkedChild();

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_LOCKS_H_
