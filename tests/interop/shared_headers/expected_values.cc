// SPDX-License-Identifier: Apache-2.0
// expected.h: one Expected made of another, and of values that convert.
#include <tvm/ffi/tvm_ffi.h>

#include <type_traits>

#include "print.h"

namespace ffi = tvm::ffi;

template <typename From, typename To>
constexpr bool kConverts = std::is_convertible_v<ffi::Expected<From>, ffi::Expected<To>>;

static ffi::Expected<ffi::String> Text(bool good) {
  if (good) return "a text on the heap";
  return ffi::Error("ValueError", "no text", "");
}

int main() {
  std::cout
      << kConverts<
             int,
             double> << kConverts<ffi::String, std::string> << kConverts<ffi::Tensor, ffi::Any> << kConverts<ffi::Any, int> << kConverts<int, std::string> << kConverts<int, void> << "\n";
  const ffi::Expected<int> three = 3;
  const ffi::Expected<double> wide = three;
  std::cout << wide.value() << "\n";
  for (bool good : {true, false}) {
    const ffi::Expected<ffi::Any> any = Text(good);
    Try("Any", [&] { std::cout << any.value().cast<std::string>(); });
    Try("as_or_error", [&] { std::cout << any.as_or_error<ffi::String>().value(); });
    std::cout << any.as_or_error<int>().error().kind() << "\n";
  }
  const ffi::Expected<ffi::Any> number = ffi::Any(3);
  std::cout << number.as_or_error<int>().value() << number.as_or_error<double>().is_err() << "\n";
}
