// SPDX-License-Identifier: Apache-2.0
// Finds the functions that contain code addresses, by name.
#ifndef TVM_FFI_SRC_SYMBOL_NAME_H_
#define TVM_FFI_SRC_SYMBOL_NAME_H_

#include <string>

// The location of a code address.
struct CodePlace {
  std::string library;   // path, empty if the address is in no library
  std::string symbol;    // the linker symbol, empty if there is none
  unsigned long offset;  // of the address in the library, as addr2line expects it
};

// Looks up an address in its library's exported symbols, then in the library's file, which also
// names hidden symbols unless it was stripped.
CodePlace FindCodePlace(const void* address);

#endif  // TVM_FFI_SRC_SYMBOL_NAME_H_
