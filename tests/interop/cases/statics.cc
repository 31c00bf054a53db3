// SPDX-License-Identifier: Apache-2.0
// Cases: what a library has one of for itself: inline variables and function-local statics.
// Names and types are the same in every library that is built from this file, so a loader that
// merged them would show.
#include <tvm/ffi/function.h>

#include <string>

#include "case.h"

namespace ffi = tvm::ffi;

// The library's own names are hidden, as the project's rules say.
namespace interop_statics INTEROP_HIDDEN {

inline int64_t inline_count = 0;

inline int64_t CountLocal() {
  static int64_t count = 0;
  return ++count;
}

template <typename T>
int64_t CountTemplate() {
  static T count = 0;
  return ++count;
}

struct Counted {
  static inline int64_t member_count = 0;
};

// "1 1 1 1" when it is called first.
ffi::String Count() {
  std::string text = Text(++inline_count);
  text += " " + Text(CountLocal());
  text += " " + Text(CountTemplate<int64_t>());
  text += " " + Text(++Counted::member_count);
  return text;
}

// Makes every thread-safe static of the headers: objects, functions, errors, type indices.
int64_t UseHeaders() {
  ffi::Function function = ffi::Function::FromTyped([](ffi::String text) -> int64_t {
    TVM_FFI_CHECK(text.size() < 10, ValueError) << "too long: " << text.size();
    return static_cast<int64_t>(text.size());
  });
  try {
    function(std::string(20, 'x'));
  } catch (const ffi::Error& error) {
    return function("five.").cast<int64_t>();
  }
  return -1;
}

}  // namespace interop_statics INTEROP_HIDDEN

TVM_FFI_DLL_EXPORT_TYPED_FUNC(count, interop_statics::Count);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(use_headers, interop_statics::UseHeaders);
