// SPDX-License-Identifier: Apache-2.0
// Finds the loaded library that contains an address.
#include "loaded_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "locks.h"

namespace {

namespace ffi = tvm::ffi;

// The smallest page, which is mapped even if a library is shorter.
constexpr size_t kFirstPage = 4096;

// A library's program headers, which stay in their place while it is loaded.
struct Headers {
  const char* name;
  uintptr_t base;
  const ElfW(Phdr) * first;
  size_t count;

  std::vector<ffi::LoadedLibrary::Segment> Segments() const {
    std::vector<ffi::LoadedLibrary::Segment> segments;
    for (const ElfW(Phdr)* header = first; header != first + count; ++header) {
      if (header->p_type != PT_LOAD) continue;
      const uintptr_t begin = base + header->p_vaddr;
      segments.push_back({begin, begin + header->p_memsz, (header->p_flags & PF_X) != 0});
    }
    return segments;
  }
};

// Asks the loader for its list, which is free while a library's static initialisers run.
std::optional<Headers> HeadersInList(const void* address) {
  struct Search {
    uintptr_t address;
    std::optional<Headers> found;
  } search{reinterpret_cast<uintptr_t>(address), std::nullopt};
  std::lock_guard<std::mutex> lock(ffi::LockOf(ffi::Guarded::kLoadedLibraries));
  // Allocates nothing: an exception must not unwind through the loader.
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* state) {
        auto* search = static_cast<Search*>(state);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) & header = info->dlpi_phdr[i];
          const uintptr_t behind = search->address - (info->dlpi_addr + header.p_vaddr);
          if (header.p_type != PT_LOAD || behind >= header.p_memsz) continue;
          search->found = {info->dlpi_name, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
          return 1;
        }
        return 0;
      },
      &search);
  return search.found;
}

// The headers without the loader's list, whose lock may be held forever in a forked child.
std::optional<Headers> HeadersInChild(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) {
    return std::nullopt;
  }
  // Linkers put the ELF header and, behind it, the program headers into the first segment; tools
  // that rewrite libraries, such as BOLT, may put the program headers elsewhere.
  const auto* bytes = static_cast<const char*>(info.dli_fbase);
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(bytes);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phoff > kFirstPage ||
      header.e_phnum > (kFirstPage - header.e_phoff) / sizeof(ElfW(Phdr))) {
    return HeadersInList(address);
  }
  const auto* first = reinterpret_cast<const ElfW(Phdr)*>(bytes + header.e_phoff);
  return Headers{map->l_name, map->l_addr, first, header.e_phnum};
}

}  // namespace

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

std::optional<LoadedLibrary> FindLoadedLibrary(const void* address) {
  const auto headers = IsForkedChild() ? HeadersInChild(address) : HeadersInList(address);
  if (!headers.has_value()) return std::nullopt;
  return LoadedLibrary{headers->name, headers->Segments()};
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm
