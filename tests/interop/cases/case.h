// SPDX-License-Identifier: Apache-2.0
// What every file of cases uses. Only names that both packages' headers have may appear in them.
#ifndef TESTS_INTEROP_CASES_CASE_H_
#define TESTS_INTEROP_CASES_CASE_H_

#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>
#include <cstdio>
#include <string>

// A row of the table: Make##NAME(i) makes the values, for i below COUNT, and Check##NAME(i, value)
// throws if it sees another value. The maker and the checker may be in libraries of two kinds.
#define INTEROP_CASE(NAME, COUNT, TITLE)                                                 \
  static int64_t Count##NAME() { return COUNT; }                                         \
  static tvm::ffi::Any MakeAny##NAME(int64_t i) { return tvm::ffi::Any(Make##NAME(i)); } \
  static void CheckAny##NAME(int64_t i, tvm::ffi::Any value) { Check##NAME(i, value); }  \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC(count_##NAME, Count##NAME);                              \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_##NAME, MakeAny##NAME);                             \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC(check_##NAME, CheckAny##NAME)

#define INTEROP_HIDDEN __attribute__((visibility("hidden")))

#define EXPECT(condition) TVM_FFI_CHECK(condition, AssertionError) << #condition << " is false"

// std::to_string would leave a symbol that the loader merges between libraries.
static inline std::string Text(int64_t number) {
  char text[24];
  return std::string(text, static_cast<size_t>(std::snprintf(text, sizeof(text), "%lld",
                                                             static_cast<long long>(number))));
}

#endif  // TESTS_INTEROP_CASES_CASE_H_
