// SPDX-License-Identifier: Apache-2.0
// Parses the CUBINs written by nvcc: ELF files with a section for each kernel.
#ifndef TESTS_CUBIN_FAKE_IMAGE_H_
#define TESTS_CUBIN_FAKE_IMAGE_H_

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace fake {

struct KernelCode {
  std::string name;
  std::vector<uint32_t> parameters;  // the size of each, in bytes
};

class Image {
 public:
  static bool is_cubin(const void* data) { return std::memcmp(data, ELFMAG, SELFMAG) == 0; }

  static bool is_ptx(const void* data) { return std::memcmp(data, ".ver", 4) == 0; }

  explicit Image(const void* data) : base_(static_cast<const char*>(data)) {
    const auto* head = reinterpret_cast<const Elf64_Ehdr*>(base_);
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(base_ + head->e_shoff);
    const char* names = base_ + sections[head->e_shstrndx].sh_offset;
    const std::string text = ".text.", info = ".nv.info.";
    for (int i = 0; i < head->e_shnum; ++i) {
      const std::string name = names + sections[i].sh_name;
      if (name.compare(0, text.size(), text) == 0) {
        found_[name.substr(text.size())].name = name.substr(text.size());
      } else if (name.compare(0, info.size(), info) == 0) {
        found_[name.substr(info.size())].parameters = parameters_of(sections[i]);
      }
    }
  }

  const KernelCode* kernel(const std::string& name) const {
    auto found = found_.find(name);
    return found == found_.end() || found->second.name.empty() ? nullptr : &found->second;
  }
  const std::map<std::string, KernelCode>& kernels() const { return found_; }

 private:
  // A kernel's attribute EIATTR_KPARAM_INFO, as cuobjdump -elf calls it: a format and a number of
  // one byte each, a length, and for each parameter its index, its ordinal and offset, and a word
  // whose upper 14 bits are its size.
  std::vector<uint32_t> parameters_of(const Elf64_Shdr& section) const {
    std::map<uint16_t, uint32_t> by_ordinal;
    const char* at = base_ + section.sh_offset;
    for (const char* end = at + section.sh_size; at + 4 <= end;) {
      const auto format = static_cast<uint8_t>(at[0]), attribute = static_cast<uint8_t>(at[1]);
      uint16_t length = 0;
      std::memcpy(&length, at + 2, sizeof length);
      if (format == 4 && attribute == 0x17) {
        uint16_t ordinal = 0;
        uint32_t word = 0;
        std::memcpy(&ordinal, at + 8, sizeof ordinal);
        std::memcpy(&word, at + 12, sizeof word);
        by_ordinal[ordinal] = word >> 18;
      }
      at += format == 4 ? 4 + length : 4;
    }
    std::vector<uint32_t> sizes;
    for (const auto& [ordinal, size] : by_ordinal) sizes.push_back(size);
    return sizes;
  }

  const char* base_;
  std::map<std::string, KernelCode> found_;
};

}  // namespace fake

#endif  // TESTS_CUBIN_FAKE_IMAGE_H_
