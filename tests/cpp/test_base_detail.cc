// SPDX-License-Identifier: Apache-2.0
// Rows: R5
// base_detail.h: small macros used by libraries written for the published headers.
#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/function.h>

#include <string>
#include <type_traits>
#include <utility>

#include "expect.h"

namespace {

#define TEST_NAME_PART total
class Counter {
 public:
  Counter() = default;
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Counter);
  TVM_FFI_INLINE static int Twice(int x) { return 2 * x; }
  TVM_FFI_INLINE int Add(int x) {
    TVM_FFI_UNSAFE_ASSUME(x > 0);
    return count += x;
  }
  TVM_FFI_NO_INLINE std::string Name() const { return TVM_FFI_FUNC_SIG; }
  TVM_FFI_COLD_CODE static int Fails() { return -1; }
  int count = 1;
};

}  // namespace

// Marked functions behave like others, and a signature names its function.
void marked_functions() {
  Counter counter;
  EXPECT_EQ(counter.Add(2), 3);
  EXPECT_EQ(Counter::Twice(4), 8);
  EXPECT_EQ(Counter::Fails(), -1);
  EXPECT(counter.Name().find("Name") != std::string::npos);
  Counter copy = counter, moved = std::move(copy);
  EXPECT_EQ(moved.count, 3);
  EXPECT(std::is_copy_assignable<Counter>::value);
  EXPECT(std::is_move_assignable<Counter>::value);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_marked_functions, marked_functions);

// A condition keeps its truth value whichever way it is predicted, and is 0 or 1.
void predictions() {
  int evaluated = 0;
  EXPECT(TVM_FFI_PREDICT_TRUE(++evaluated == 1));
  EXPECT(!TVM_FFI_PREDICT_FALSE(++evaluated == 1));
  EXPECT_EQ(evaluated, 2);
  EXPECT_EQ(static_cast<int>(TVM_FFI_PREDICT_TRUE(256)), 1);
  EXPECT_EQ(static_cast<int>(TVM_FFI_PREDICT_FALSE(256)), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_predictions, predictions);

// Macros in parts of a name are expanded first.
void names() {
  int TVM_FFI_STR_CONCAT(my_, TEST_NAME_PART) = 7;
  EXPECT_EQ(my_total, 7);
  TVMFFIAny any{};
  any.v_uint64 = 5;
  TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(&any);
  EXPECT_EQ(any.v_uint64, sizeof(void*) == 8 ? 5u : 0u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_names, names);
