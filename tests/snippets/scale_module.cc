// SPDX-License-Identifier: Apache-2.0
// A custom kind of module, which can be saved and loaded.
// [includes.begin]
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdio>
#include <cstring>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
// [includes.end]

// Tests load the library twice into one process, each time with a different kind.
#ifndef SCALE_KIND
#define SCALE_KIND "scale"
#endif

namespace {

// [class.begin]
class ScaleModuleObj : public ffi::ModuleObj {
 public:
  explicit ScaleModuleObj(double factor) : factor_(factor) {}

  const char* kind() const final { return SCALE_KIND; }
  int GetPropertyMask() const final {
    return ffi::Module::kRunnable | ffi::Module::kBinarySerializable;
  }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    if (name != "scale") return std::nullopt;
    // The function holds what it needs, so it may outlive the module.
    return ffi::Function::FromTyped([factor = factor_](double x) { return factor * x; });
  }
  ffi::Bytes SaveToBytes() const final {
    return ffi::Bytes(reinterpret_cast<const char*>(&factor_), sizeof(factor_));
  }
  // [class.end]
  // [description.begin]
  ffi::Optional<ffi::String> GetFunctionDoc(const ffi::String& name) final {
    if (name != "scale") return std::nullopt;
    return ffi::String("Multiplies by the factor of the module.");
  }
  ffi::Optional<ffi::String> GetFunctionMetadata(const ffi::String& name) final {
    if (name != "scale") return std::nullopt;
    return ffi::String("{\"arg_names\": \"x\"}");
  }
  ffi::String InspectSource(const ffi::String&) const final { return "y = factor * x"; }
  ffi::Array<ffi::String> GetWriteFormats() const final { return {SCALE_KIND}; }
  void WriteToFile(const ffi::String& file_name, const ffi::String&) const final {
    std::FILE* file = std::fopen(file_name.c_str(), "wb");
    TVM_FFI_CHECK(file != nullptr, ValueError)
        << "WriteToFile: file_name: expected a file that can be written, got " << file_name;
    const size_t written = std::fwrite(&factor_, sizeof(factor_), 1, file);
    TVM_FFI_CHECK(std::fclose(file) == 0 && written == 1, RuntimeError)
        << "WriteToFile: expected to write " << file_name << " to its end";
  }
  // [description.end]

 private:
  double factor_;
};

// [loading.begin]
ffi::Module make_scale(double factor) {
  return ffi::Module(ffi::make_object<ScaleModuleObj>(factor));
}

ffi::Module load_from_bytes(const ffi::Bytes& saved) {
  double factor = 0;
  TVM_FFI_CHECK(saved.size() == sizeof(factor), ValueError)
      << "load_from_bytes: expected " << sizeof(factor) << " bytes, got " << saved.size();
  std::memcpy(&factor, saved.data(), sizeof(factor));
  return make_scale(factor);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef().def("ffi.Module.load_from_bytes." SCALE_KIND, load_from_bytes);
}
// [loading.end]

// [file.begin]
ffi::Module load_from_file(const ffi::String& file_name, const ffi::String&) {
  char bytes[sizeof(double) + 1];
  std::FILE* file = std::fopen(file_name.c_str(), "rb");
  TVM_FFI_CHECK(file != nullptr, ValueError)
      << "load_from_file: file_name: expected a file that can be read, got " << file_name;
  const size_t size = std::fread(bytes, 1, sizeof(bytes), file);
  std::fclose(file);
  return load_from_bytes(ffi::Bytes(bytes, size));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef().def("ffi.Module.load_from_file." SCALE_KIND, load_from_file);
}
// [file.end]

// [exports.begin]
ffi::Bytes save(const ffi::Module& module) { return module->SaveToBytes(); }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_scale, make_scale);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(save, save);
// [exports.end]

}  // namespace
