// SPDX-License-Identifier: Apache-2.0
// What the programs of this folder print with. Only names that both packages' headers have.
#ifndef TESTS_INTEROP_SHARED_HEADERS_PRINT_H_
#define TESTS_INTEROP_SHARED_HEADERS_PRINT_H_

#include <tvm/ffi/error.h>

#include <iostream>
#include <string>

// Prints what a statement prints, or the kind of the error that it throws.
template <typename Statement>
void Try(const char* name, Statement statement) {
  std::cout << name << ": ";
  try {
    statement();
  } catch (const tvm::ffi::Error& error) {
    std::cout << error.kind();
  }
  std::cout << "\n";
}

#endif  // TESTS_INTEROP_SHARED_HEADERS_PRINT_H_
