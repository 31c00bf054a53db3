// SPDX-License-Identifier: Apache-2.0
// Detects faults of a library file that the loader would misreport or crash on.
#include "elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <tvm/ffi/message.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

// This library's own ELF header, defined by the linker: the process runs on its architecture.
extern "C" __attribute__((visibility("hidden"))) const ElfW(Ehdr) __ehdr_start;

namespace ffi = tvm::ffi;

namespace {

// A file open for reading; its size is 0 if it is not a readable regular file.
class File {
 public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat found;
    if (descriptor_ >= 0 && fstat(descriptor_, &found) == 0 && S_ISREG(found.st_mode)) {
      size_ = static_cast<uint64_t>(found.st_size);
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  uint64_t size() const { return size_; }
  bool Has(uint64_t offset, uint64_t size) const {
    return offset <= size_ && size <= size_ - offset;
  }
  bool Read(void* to, uint64_t offset, uint64_t size) const {
    return Has(offset, size) &&
           pread(descriptor_, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  }

 private:
  int descriptor_;
  uint64_t size_ = 0;
};

// The machine number, in the byte order declared by the file.
uint16_t MachineOf(const ElfW(Ehdr) & head) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&head.e_machine);
  const bool big = head.e_ident[EI_DATA] == ELFDATA2MSB;
  return static_cast<uint16_t>(bytes[big ? 1 : 0] | bytes[big ? 0 : 1] << 8);
}

std::string MachineName(uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "x86";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "ARM";
    case EM_AARCH64:
      return "AArch64";
    case EM_MIPS:
      return "MIPS";
    case EM_PPC:
      return "PowerPC";
    case EM_PPC64:
      return "PowerPC 64";
    case EM_S390:
      return "S/390";
    case EM_RISCV:
      return "RISC-V";
    case EM_CUDA:
      return "NVIDIA CUDA";
    case EM_AMDGPU:
      return "AMD GPU";
    case 258:
      return "LoongArch";
    default:
      return (ffi::Message().self() << "machine " << machine).take();
  }
}

// For example "AArch64 (64 bits, little-endian)".
std::string ArchitectureOf(const ElfW(Ehdr) & head) {
  return MachineName(MachineOf(head)) +
         (head.e_ident[EI_CLASS] == ELFCLASS32 ? " (32 bits, " : " (64 bits, ") +
         (head.e_ident[EI_DATA] == ELFDATA2MSB ? "big-endian)" : "little-endian)");
}

bool IsForThisProcess(const ElfW(Ehdr) & head) {
  return head.e_ident[EI_CLASS] == __ehdr_start.e_ident[EI_CLASS] &&
         head.e_ident[EI_DATA] == __ehdr_start.e_ident[EI_DATA] &&
         head.e_machine == __ehdr_start.e_machine;
}

uint64_t SumOrMost(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

// Whether the segment type is a standard one or may be specific to a system.
bool IsKnown(uint32_t type) { return type < PT_NUM || type >= PT_LOOS; }

// Whether the loader reads this part at its address; notes and others may be outside all segments.
bool IsUsed(uint32_t type) {
  return type == PT_DYNAMIC || type == PT_TLS || type == PT_PHDR || type == PT_GNU_RELRO;
}

// Whether a part of the library is within a loaded segment.
bool LiesInOne(const ElfW(Phdr) & part, const std::vector<ElfW(Phdr)>& segments) {
  return std::any_of(segments.begin(), segments.end(), [&](const ElfW(Phdr) & segment) {
    const uint64_t behind = part.p_vaddr - segment.p_vaddr;
    return segment.p_type == PT_LOAD && part.p_vaddr >= segment.p_vaddr &&
           behind <= segment.p_memsz && part.p_filesz <= segment.p_memsz - behind;
  });
}

// Why the segments cannot be mapped; empty if ordered, in the file and covering the used parts.
std::string WhyNotMappable(const File& file, const std::vector<ElfW(Phdr)>& segments) {
  uint64_t end = 0, least_size = 0;
  bool is_ordered = true, has_dynamic = false;
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_LOAD) continue;
    is_ordered = is_ordered && segment.p_filesz <= segment.p_memsz && segment.p_vaddr >= end;
    end = SumOrMost(segment.p_vaddr, segment.p_memsz);
    if (segment.p_filesz == 0) continue;
    least_size = std::max(least_size, SumOrMost(segment.p_offset, segment.p_filesz));
  }
  if (least_size > file.size()) {
    return (ffi::Message().self() << "expected a file of at least " << least_size << " bytes, got "
                                  << file.size() << "; it was not copied to its end")
        .take();
  }
  if (!is_ordered) return "expected segments that follow each other; the file is damaged";
  for (const ElfW(Phdr) & part : segments) {
    if (!IsKnown(part.p_type)) return "expected parts that the loader knows; the file is damaged";
    // Thread-local variables without initial values occupy no part of a segment: lld puts them
    // between segments.
    const bool has_no_image = part.p_type == PT_TLS && part.p_filesz == 0;
    if (IsUsed(part.p_type) && !has_no_image && !LiesInOne(part, segments)) {
      return "expected parts within its segments; the file is damaged";
    }
    has_dynamic = has_dynamic || part.p_type == PT_DYNAMIC;
  }
  if (!has_dynamic) return "expected a dynamic section in a segment; the file is damaged";
  return "";
}

}  // namespace

std::string ffi::WhyNotLoadable(const std::string& path) {
  const File file(path);
  ElfW(Ehdr) head;
  if (!file.Read(&head, 0, sizeof(head)) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) {
    return "";
  }
  if (!IsForThisProcess(head)) {
    return "expected a library for " + ArchitectureOf(__ehdr_start) + ", got one for " +
           ArchitectureOf(head);
  }
  std::vector<ElfW(Phdr)> segments(head.e_phnum);
  if (head.e_phentsize != sizeof(segments[0]) ||
      !file.Read(segments.data(), head.e_phoff, sizeof(segments[0]) * segments.size())) {
    return "expected a table of segments in the file; the file is damaged";
  }
  return WhyNotMappable(file, segments);
}
