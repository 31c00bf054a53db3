// SPDX-License-Identifier: Apache-2.0
// Functions with metadata, errors as values and C++ threads, for the Python tests.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/storage.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

// Returns the arguments as text, so that a test sees which parameter each one reached.
std::string Affine(int64_t x, double factor, ffi::Optional<int64_t> shift,
                   ffi::Optional<ffi::String> unit) {
  std::string text = std::to_string(x) + " " + std::to_string(static_cast<int>(factor));
  text += " " + (shift.has_value() ? std::to_string(*shift) : std::string("none"));
  return text + " " + (unit.has_value() ? std::string(*unit) : std::string("none"));
}

// Calls f(0) to f(count - 1) in each of several threads unknown to Python; returns the number of
// failed calls.
int64_t CallInThreads(const ffi::Function& f, int64_t threads, int64_t count) {
  std::vector<std::thread> running;
  std::vector<int64_t> failed(static_cast<size_t>(threads));
  for (int64_t t = 0; t < threads; ++t) {
    running.emplace_back([&f, count, &failures = failed[static_cast<size_t>(t)]] {
      for (int64_t i = 0; i < count; ++i) {
        try {
          if (f(i).cast<int64_t>() != i) ++failures;
        } catch (const ffi::Error&) {
          ++failures;
        }
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  int64_t total = 0;
  for (int64_t each : failed) total += each;
  return total;
}

// Drops the last references to functions and values in a thread unknown to Python.
void DropInThread(ffi::Any value) {
  std::thread([moved = std::move(value)]() mutable { moved = ffi::Any(); }).join();
}

// Never returns: the process exits meanwhile.
void CallForever(const ffi::Function& f) {
  std::thread([f] {
    for (;;) {
      try {
        f();
      } catch (const ffi::Error&) {
      }
    }
  }).detach();
}

ffi::String StorageKey(const ffi::String& name, DLDevice device, ffi::Optional<int64_t> stream) {
  if (!stream.has_value()) return ffi::storage::Key(name, device);
  return ffi::storage::Key(name, device, reinterpret_cast<void*>(*stream));
}

// A read-only tensor of two elements.
ffi::Tensor Constants() {
  static float data[] = {1, 2};
  static int64_t shape[] = {2};
  static DLManagedTensorVersioned managed{};
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  managed.dl_tensor = {data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  return ffi::Tensor::FromDLPackVersioned(&managed);
}

ffi::Any kept;

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(affine, Affine);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(affine, "Scales x and adds to it.");
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(affine, "x", "factor", "shift", "unit");

// Exports its types but not its names.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(unnamed, Affine);

// Exports the names of only some parameters.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(half_named, Affine);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(half_named, "x");

// Exports its names but not its types.
TVM_FFI_DLL_EXPORT_TYPED_FUNC_SYMBOL(untyped, Affine);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(untyped, "x", "factor", "shift", "unit");

// Likewise, and always refuses its second argument.
TVM_FFI_DLL_EXPORT_TYPED_FUNC_SYMBOL(refuses_second, [](const ffi::Any&, const ffi::Any& y,
                                                        const ffi::Any&) {
  TVM_FFI_THROW(TypeError) << "refuses_second: y: expected better than "
                           << (y == nullptr ? "none" : "this");
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(refuses_second, "x", "y", "z");

// Likewise, but a nested function refuses its own second argument.
TVM_FFI_DLL_EXPORT_TYPED_FUNC_SYMBOL(calls_another, [](const ffi::Any&, const ffi::Any& y,
                                                       const ffi::Any&) {
  ffi::Function::FromTyped([](int64_t, int64_t) {}, "another")(1, y);
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(calls_another, "x", "y", "z");

TVM_FFI_DLL_EXPORT_TYPED_FUNC(constants, Constants);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(first_element,
                              [](const ffi::Tensor& x) { return x.as_strided({1}, {1}); });

TVM_FFI_DLL_EXPORT_TYPED_FUNC(many_types,
                              [](ffi::Array<int64_t>, ffi::Variant<int64_t, ffi::String>,
                                 const ffi::Function&) { return true; });

TVM_FFI_DLL_EXPORT_TYPED_FUNC(main, [](int64_t x) { return x + 1; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(main, "x");

TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_in_threads, CallInThreads);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_forever, CallForever);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(drop_in_thread, DropInThread);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(keep, [](ffi::Any value) { kept = std::move(value); });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(give_back, [] { return kept; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(drop_kept_in_thread, [] { DropInThread(std::move(kept)); });

TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_kept_at_exit, [] {
  std::atexit([] {
    try {
      kept.cast<ffi::Function>()();
    } catch (const ffi::Error& error) {
      std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
      std::fflush(stdout);
    }
  });
});

TVM_FFI_DLL_EXPORT_TYPED_FUNC(call, [](const ffi::Function& f) { return f(); });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kind_of, [](const ffi::Error& error) { return error.kind(); });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(raise_error, [](const ffi::Error& error) { throw error; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check_positive, [](int64_t x) { TVM_FFI_ICHECK_GT(x, 0) << "x"; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(error_with_context, [] {
  return ffi::Error("KeyError", "third", "", ffi::Error("OSError", "first", ""),
                    ffi::Shape({1, 2}));
});

TVM_FFI_DLL_EXPORT_TYPED_FUNC(storage_key, StorageKey);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(storage_get, [](const ffi::String& name, DLDevice device,
                                              ffi::Optional<int64_t> stream) {
  return ffi::storage::Get<int64_t>(StorageKey(name, device, stream)).value_or(-1);
});

TVM_FFI_DLL_EXPORT_TYPED_FUNC(register_system_symbols, [] {
  TVMFFISafeCallType one = [](void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) -> int {
    result->type_index = kTVMFFIInt;
    result->v_int64 = 1;
    return 0;
  };
  TVMFFISafeCallType two = [](void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) -> int {
    result->type_index = kTVMFFIInt;
    result->v_int64 = 2;
    return 0;
  };
  TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_tests.system.with_prefix",
                                      reinterpret_cast<void*>(one));
  TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_with_prefix", reinterpret_cast<void*>(two));
  TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_without_prefix", reinterpret_cast<void*>(two));
});

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef().def("tests.described.affine", Affine, "Scales, globally.",
                        refl::Metadata({{"arg_names", "x, factor, shift, unit"}}));
}
