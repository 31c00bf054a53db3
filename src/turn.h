// SPDX-License-Identifier: Apache-2.0
// Threads that make the same thing take turns.
#ifndef TVM_FFI_SRC_TURN_H_
#define TVM_FFI_SRC_TURN_H_

#include <tvm/ffi/object.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// A thread's turn with the thing at an address, after the turns of others. No lock is held
// meanwhile: what the thread does may load libraries, wait for threads or for the lock of an
// interpreter, fork, and take turns with other things.
class Turn {
 public:
  enum class Outcome {
    kTaken,
    kTakenBefore,  // It is this thread's turn already.
    kCircle        // The thread whose turn it is waits, maybe through others, for this one.
  };

  explicit Turn(const void* thing);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();

  Outcome outcome() const { return outcome_; }

  // Ends the turns of threads that a forked child does not have. Called with the lock.
  static void ForgetOtherThreads();

 private:
  const void* thing_;
  Outcome outcome_;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_TURN_H_
