// SPDX-License-Identifier: Apache-2.0
// The locks of this library, which are free in the child of a fork.
#ifndef TVM_FFI_SRC_LOCKS_H_
#define TVM_FFI_SRC_LOCKS_H_

#include <tvm/ffi/object.h>

#include <mutex>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// What the locks guard, in the order in which they are taken by whoever needs more than one.
//
// Only the thread that forks goes on in the child. A lock that another thread held would never be
// released there, so a fork waits until it holds them all. Hence no lock may be held while code of
// others runs: a factory, a deleter, the loader, Python. What they guard is made while this library
// loads: a static variable that another thread was initialising would stay so in the child.
enum class Guarded {
  kModules,
  kSymbols,
  kStore,
  kTurns,
  kGlobalFunctions,
  kTypes,
  kLibraries,
  kBacktraces,
  kLoadedLibraries,  // calls of dl_iterate_phdr, whose own lock a fork does not free
  kEnd               // not a lock
};

std::mutex& LockOf(Guarded what);

// Takes all of them, in their order, and gives them back.
void LockAll();
void UnlockAll();

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_LOCKS_H_
