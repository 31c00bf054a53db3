// SPDX-License-Identifier: Apache-2.0
// Threads and forked children that use process-wide state, for test_fork.py.
#include <link.h>
#include <sys/wait.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/extra/storage.h>
#include <tvm/ffi/tvm_ffi.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace ffi = tvm::ffi;

namespace {

void* handle = nullptr;
int target;

void WaitABit() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

void UseStore() {
  ffi::storage::Set("tests.forks.value", 1);
  ffi::storage::Get<int64_t>("tests.forks.value");
}

void UseFactory() {
  ffi::storage::GetOrCreate<int64_t>("tests.forks.made", [] {
    WaitABit();
    return 1;
  });
  ffi::storage::Erase("tests.forks.made");
}

void UseGlobalFunctions() {
  static const ffi::Function function = ffi::Function::FromTyped([] { return 1; });
  ffi::Function::SetGlobal("tests.forks.function", function, true);
  ffi::Function::GetGlobal("tests.forks.function");
}

void UseTypes() {
  const std::string key = "ffi.Object";
  const TVMFFIByteArray bytes{key.data(), key.size()};
  int32_t index = 0;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeKeyToIndex(&bytes, &index));
}

void UseModules() {
  TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_tests.forks", &target);
  static const ffi::Function system_lib = *ffi::Function::GetGlobal("ffi.SystemLib");
  system_lib("tests.forks");
}

void UseBacktraces() { TVMFFIBacktrace(nullptr, 0, nullptr, 0); }

// A function whose code is in no library, as that of a compiler that runs in the process.
void UseGeneratedCode() {
  static void* const code = std::malloc(1);
  TVMFFIObjectHandle function = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCreate(nullptr, reinterpret_cast<TVMFFISafeCallType>(code),
                                               nullptr, &function));
  TVMFFIObjectDecRef(function);
}

void UseHandle() {
  TVMFFIHandleInitOnce(&handle, [](void** result) {
    WaitABit();
    *result = &target;
    return 0;
  });
  TVMFFIHandleDeinitOnce(&handle, [](void*) { return 0; });
}

// Holds the loader's lock of its list, which glibc does not free in a child, as a thread does that
// loads or unloads a library.
void HoldLoaderList() {
  dl_iterate_phdr(
      [](dl_phdr_info*, size_t, void*) {
        WaitABit();
        return 1;
      },
      nullptr);
}

struct FirstObj : public ffi::Object {
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tests.forks.First", FirstObj, ffi::Object);
};

constexpr void (*kUses[])() = {UseStore,   UseFactory,    UseGlobalFunctions, UseTypes,
                               UseModules, UseBacktraces, UseGeneratedCode,   UseHandle};

}  // namespace

// Starts a thread for each use and one for the loader, which run until the process exits.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(start_threads, [] {
  for (auto use : kUses) use();
  for (auto use : kUses) {
    std::thread([use] {
      for (;;) use();
    }).detach();
  }
  std::thread([] {
    for (;;) HoldLoaderList();
  }).detach();
});

// Forks children one by one until one hangs or fails; returns the number that did not.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fork_children, [](int64_t count) -> int64_t {
  for (int64_t i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(5);  // kills a child that hangs
      for (auto use : kUses) use();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return i;
  }
  return count;
});

// Forks while the calling thread creates a value: the child finishes creating it.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fork_in_factory, []() -> int64_t {
  pid_t child = 0;
  const auto value = ffi::storage::GetOrCreate<int64_t>("tests.forks.inner", [&child]() -> int64_t {
    child = fork();
    if (child == 0) alarm(5);
    return 7;
  });
  ffi::storage::Erase("tests.forks.inner");
  if (child == 0) _exit(value == 7 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
});

// Forks children that each have a thread creating the library's first function and first object of
// a type during another fork; returns the number whose own child hung.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(hung_first_uses, [](int64_t count) -> int64_t {
  const auto use = [] {
    ffi::make_object<FirstObj>();
    ffi::Function::FromTyped([] { return 1; });
  };
  int64_t hung = 0;
  for (int64_t i = 0; i < count; ++i) {
    const pid_t outer = fork();
    if (outer == 0) {
      std::thread first(use);
      std::this_thread::sleep_for(std::chrono::microseconds(i % 120));
      const pid_t inner = fork();
      if (inner == 0) {
        alarm(2);  // kills a child that hangs
        use();
        _exit(0);
      }
      int status = 0;
      waitpid(inner, &status, 0);
      first.join();
      _exit(status == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(outer, &status, 0);
    if (status != 0) ++hung;
  }
  return hung;
});
