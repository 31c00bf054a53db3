// SPDX-License-Identifier: Apache-2.0
// base_detail.h: small macros.
#include <tvm/ffi/base_detail.h>

#include "print.h"

#define PART total

class Counter {
 public:
  Counter() = default;
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Counter);
  TVM_FFI_INLINE static int Twice(int x) { return 2 * x; }
  TVM_FFI_NO_INLINE int Add(int x) {
    TVM_FFI_UNSAFE_ASSUME(x > 0);
    return count += x;
  }
  int count = 1;
};
TVM_FFI_COLD_CODE static int Fails() { return -1; }

int main() {
  Counter counter, copy = counter;
  std::cout << counter.Add(2) << copy.count << Counter::Twice(4) << Fails() << "\n";
  int TVM_FFI_STR_CONCAT(my_, PART) = 7;
  std::cout << my_total << TVM_FFI_FUNC_SIG << "\n";
  std::cout << TVM_FFI_PREDICT_TRUE(256) << TVM_FFI_PREDICT_FALSE(counter.count == 9) << "\n";
  TVMFFIAny any{};
  any.v_uint64 = 5;
  TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(&any);
  std::cout << any.v_uint64 << "\n";
}
