// SPDX-License-Identifier: Apache-2.0
// Finds the loaded library that contains an address.
#ifndef TVM_FFI_SRC_LOADED_LIBRARY_H_
#define TVM_FFI_SRC_LOADED_LIBRARY_H_

#include <tvm/ffi/attributes.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

struct LoadedLibrary {
  struct Segment {
    uintptr_t begin, end;
    bool is_code;

    bool Contains(uintptr_t address) const { return begin <= address && address < end; }
  };

  const char* name;  // for dlopen, valid while the library is loaded; empty for the program itself
  std::vector<Segment> segments;
};

// Waits for no static initialiser of a library, except in a forked child: there it does not need
// the loader's list, whose lock may be held forever, if the library is laid out as linkers do.
std::optional<LoadedLibrary> FindLoadedLibrary(const void* address);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_LOADED_LIBRARY_H_
