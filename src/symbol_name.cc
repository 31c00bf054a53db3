// SPDX-License-Identifier: Apache-2.0
// Finds the functions that contain code addresses, by name.
#include "symbol_name.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace {

// The bytes of a file, mapped while this object lives.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<size_t>(status.st_size);
      void* mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (mapped != MAP_FAILED) data_ = static_cast<const char*>(mapped);
    }
    close(file);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
  }

  // `count` records at an offset in the file; NULL if they are not within it.
  template <typename T>
  const T* At(size_t offset, size_t count) const {
    if (data_ == nullptr || offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(data_ + offset);
  }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

std::string SymbolInFile(const char* path, ElfW(Addr) address) {
  const MappedFile file(path);
  const auto* header = file.At<ElfW(Ehdr)>(0, 1);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_shentsize != sizeof(ElfW(Shdr))) {
    return "";
  }
  const auto* sections = file.At<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
  for (size_t i = 0; sections != nullptr && i < header->e_shnum; ++i) {
    const ElfW(Shdr) & section = sections[i];
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= header->e_shnum) continue;
    const size_t count = section.sh_size / sizeof(ElfW(Sym));
    const auto* symbols = file.At<ElfW(Sym)>(section.sh_offset, count);
    const ElfW(Shdr) & names = sections[section.sh_link];
    const char* text = file.At<char>(names.sh_offset, names.sh_size);
    for (size_t k = 0; symbols != nullptr && text != nullptr && k < count; ++k) {
      const ElfW(Sym) & symbol = symbols[k];
      if ((symbol.st_info & 0xf) == STT_FUNC && symbol.st_name < names.sh_size &&
          address - symbol.st_value < symbol.st_size) {
        return std::string(text + symbol.st_name,
                           strnlen(text + symbol.st_name, names.sh_size - symbol.st_name));
      }
    }
  }
  return "";
}

}  // namespace

CodePlace FindCodePlace(const void* address) {
  CodePlace place{};
  Dl_info info;
  link_map* library = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) == 0) {
    return place;
  }
  place.library = info.dli_fname;
  place.offset = reinterpret_cast<ElfW(Addr)>(address) - library->l_addr;
  if (info.dli_sname != nullptr) {
    place.symbol = info.dli_sname;
  } else {
    // The program itself is known by the name it was invoked with, which need not be a path.
    const bool is_program = library->l_name[0] == '\0';
    place.symbol = SymbolInFile(is_program ? "/proc/self/exe" : info.dli_fname, place.offset);
  }
  return place;
}
