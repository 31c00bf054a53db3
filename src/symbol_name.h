// SPDX-License-Identifier: Apache-2.0
// Names of the functions that addresses of code lie in.
#ifndef TVM_FFI_SRC_SYMBOL_NAME_H_
#define TVM_FFI_SRC_SYMBOL_NAME_H_

#include <string>

// Where an address of code lies.
struct CodePlace {
  std::string library;   // path, empty if the address is in no library
  std::string symbol;    // as the linker knows it, empty if there is none
  unsigned long offset;  // of the address in the library, as addr2line takes it
};

// Looks an address up in the exported symbols of its library, then in the library's file, which
// also names what is hidden unless it was stripped.
CodePlace FindCodePlace(const void* address);

#endif  // TVM_FFI_SRC_SYMBOL_NAME_H_
