// SPDX-License-Identifier: Apache-2.0
// Makes threads that create the same thing take turns.
#ifndef TVM_FFI_SRC_TURN_H_
#define TVM_FFI_SRC_TURN_H_

#include <tvm/ffi/object.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// A thread's turn with the thing at an address, after the turns of others. No lock is held during
// it: the thread may load libraries, wait for threads or for an interpreter's lock, fork, and take
// turns with other things.
class Turn {
 public:
  enum class Outcome {
    kTaken,
    kTakenBefore,  // This thread already has the turn.
    kCircle        // The thread that has the turn waits, possibly through others, for this one.
  };

  explicit Turn(const void* thing);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();

  Outcome outcome() const { return outcome_; }

  // Ends the turns of threads that do not exist in a forked child. Called with the lock held.
  static void ForgetOtherThreads();

 private:
  const void* thing_;
  Outcome outcome_;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_TURN_H_
