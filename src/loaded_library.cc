// SPDX-License-Identifier: Apache-2.0
// Finds the loaded library that contains an address.
#include "loaded_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>

namespace {

// The smallest page, which is mapped even if a library is shorter.
constexpr size_t kFirstPage = 4096;

}  // namespace

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

std::optional<LoadedLibrary> FindLoadedLibrary(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) {
    return std::nullopt;
  }
  // Linkers put the ELF header and, behind it, the program headers into the first segment.
  const auto* bytes = static_cast<const char*>(info.dli_fbase);
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(bytes);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phoff > kFirstPage ||
      header.e_phnum > (kFirstPage - header.e_phoff) / sizeof(ElfW(Phdr))) {
    return std::nullopt;
  }
  LoadedLibrary library{map->l_name, {}};
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(bytes + header.e_phoff);
  for (int i = 0; i < header.e_phnum; ++i) {
    if (segments[i].p_type != PT_LOAD) continue;
    const uintptr_t begin = map->l_addr + segments[i].p_vaddr;
    library.segments.push_back(
        {begin, begin + segments[i].p_memsz, (segments[i].p_flags & PF_X) != 0});
  }
  return library;
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm
