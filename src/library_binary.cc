// SPDX-License-Identifier: Apache-2.0
// The modules embedded in a library, as bytes at its symbol `__tvm_ffi__library_bin`.
#include "library_binary.h"

#include <tvm/ffi/error.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaded_library.h"

namespace ffi = tvm::ffi;

namespace {

constexpr const char* kWhere = "ffi.ModuleLoadFromFile: __tvm_ffi__library_bin";
constexpr std::string_view kLibrary = "_lib";

uint64_t NumberAt(const char* bytes) {
  uint64_t number = 0;
  for (int i = 7; i >= 0; --i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

// The number of bytes from an address to the end of the library segment that contains it, or
// UINT64_MAX if there is none.
uint64_t BytesFrom(const char* bytes) {
  const auto library = ffi::FindLoadedLibrary(bytes);
  const auto address = reinterpret_cast<uintptr_t>(bytes);
  if (library.has_value()) {
    for (const auto& segment : library->segments) {
      if (segment.Contains(address)) return segment.end - address;
    }
  }
  return UINT64_MAX;
}

// Reads items in sequence, with bounds checks.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  uint64_t Number() { return NumberAt(Take(8).data()); }
  std::string_view Bytes() { return Take(Number()); }
  std::vector<uint64_t> Numbers() {
    const uint64_t count = Number();
    CheckLeft(count, 8);
    std::vector<uint64_t> numbers;
    for (uint64_t i = 0; i < count; ++i) numbers.push_back(Number());
    return numbers;
  }

 private:
  std::string_view Take(uint64_t size) {
    CheckLeft(size, 1);
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  void CheckLeft(uint64_t count, uint64_t size) const {
    TVM_FFI_CHECK(count <= rest_.size() / size, RuntimeError)
        << kWhere << ": expected " << count << (size == 1 ? " more bytes" : " more numbers")
        << ", got " << rest_.size() << " bytes";
  }

  std::string_view rest_;
};

ffi::Module LoadFromBytes(std::string_view kind, std::string_view bytes) {
  const std::string name = "ffi.Module.load_from_bytes." + std::string(kind);
  const std::optional<ffi::Function> load = ffi::Function::GetGlobal(name);
  TVM_FFI_CHECK(load.has_value(), RuntimeError)
      << kWhere << ": expected a kind of module that can be loaded, got \"" << kind
      << "\", for which there is no global function \"" << name << "\"";
  ffi::Module module = (*load)(ffi::Bytes(std::string(bytes))).cast<ffi::Module>();
  TVM_FFI_CHECK(module.defined(), TypeError)
      << kWhere << ": expected a module from \"" << name << "\", got None";
  return module;
}

}  // namespace

ffi::Module ffi::WithItsModules(const Module& library, const char* binary) {
  if (binary == nullptr) return library;
  const uint64_t most = BytesFrom(binary);
  TVM_FFI_CHECK(most >= 8, RuntimeError) << kWhere << ": expected at least 8 bytes, got " << most;
  const uint64_t size = NumberAt(binary);
  TVM_FFI_CHECK(size <= most - 8, RuntimeError)
      << kWhere << ": expected a size of at most " << most - 8
      << " bytes, as many as the library has, got " << size;
  Reader reader({binary + 8, size});
  const std::vector<uint64_t> begins = reader.Numbers();
  const std::vector<uint64_t> children = reader.Numbers();
  TVM_FFI_CHECK(begins.size() > 1, RuntimeError)
      << kWhere << ": expected at least one module, got none";
  std::vector<Module> modules;
  for (size_t i = 1; i < begins.size(); ++i) {
    TVM_FFI_CHECK(begins[i - 1] <= begins[i] && begins[i] <= children.size(), RuntimeError)
        << kWhere << ": expected children of module " << i - 1 << " among " << children.size()
        << ", got those from " << begins[i - 1] << " to " << begins[i];
    const std::string_view kind = reader.Bytes();
    modules.push_back(kind == kLibrary ? library : LoadFromBytes(kind, reader.Bytes()));
  }
  for (size_t i = 0; i < modules.size(); ++i) {
    for (uint64_t k = begins[i]; k < begins[i + 1]; ++k) {
      TVM_FFI_CHECK(children[k] < modules.size(), RuntimeError)
          << kWhere << ": expected a child below " << modules.size() << ", got " << children[k];
      modules[i]->ImportModule(modules[children[k]]);
    }
  }
  return modules.front();
}
