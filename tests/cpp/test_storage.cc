// SPDX-License-Identifier: Apache-2.0
// Rows: R5
// extra/storage.h: values that a library keeps by key between calls.
#include <dlfcn.h>
#include <tvm/ffi/extra/storage.h>
#include <tvm/ffi/tvm_ffi.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

constexpr DLDevice kCPU{kDLCPU, 0};

}  // namespace

// [workspace.begin]
// Zeroed memory that outlives the call: one per device and stream, so that calls on different
// streams do not write to the same memory.
ffi::Tensor GetWorkspace(int64_t bytes, DLDevice device) {
  void* stream = TVMFFIEnvGetStream(device.device_type, device.device_id);
  const ffi::String key = ffi::storage::Key("my_library.workspace", device, stream);
  auto create = [&] {
    ffi::Tensor workspace =
        ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {bytes}, DLDataType{kDLUInt, 8, 1}, device);
    std::memset(workspace.data_ptr(), 0, static_cast<size_t>(bytes));
    return workspace;
  };
  ffi::Tensor workspace = ffi::storage::GetOrCreate<ffi::Tensor>(key, create);
  if (workspace.size(0) < bytes) {
    workspace = create();
    ffi::storage::Set(key, workspace);
  }
  return workspace;
}
// [workspace.end]

// A workspace persists between calls, is separate for another stream, and grows.
void workspace() {
  TVMFFIEnvSetStream(kDLCPU, 0, nullptr, nullptr);
  // [use_workspace.begin]
  ffi::Tensor first = GetWorkspace(16, kCPU);
  static_cast<char*>(first.data_ptr())[3] = 7;
  EXPECT(GetWorkspace(8, kCPU).same_as(first));
  EXPECT_EQ(static_cast<char*>(GetWorkspace(16, kCPU).data_ptr())[3], 7);
  // [use_workspace.end]
  EXPECT_EQ(static_cast<char*>(first.data_ptr())[15], 0);
  TVMFFIEnvSetStream(kDLCPU, 0, reinterpret_cast<void*>(0x10), nullptr);
  EXPECT(!GetWorkspace(16, kCPU).same_as(first));
  TVMFFIEnvSetStream(kDLCPU, 0, nullptr, nullptr);
  EXPECT(!GetWorkspace(32, kCPU).same_as(first));
  EXPECT_EQ(first.use_count(), 1);
  EXPECT(ffi::storage::Erase(ffi::storage::Key("my_library.workspace", kCPU, nullptr)));
  EXPECT(ffi::storage::Erase(
      ffi::storage::Key("my_library.workspace", kCPU, reinterpret_cast<void*>(0x10))));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_workspace, workspace);

// On a CPU, where no stream tells threads apart, they all get the same workspace.
void workspace_of_all_threads() {
  // [one_workspace.begin]
  ffi::Tensor here = GetWorkspace(16, kCPU), there = here;
  std::thread other([&] { there = GetWorkspace(16, kCPU); });
  other.join();
  EXPECT(there.same_as(here));
  // [one_workspace.end]
  here = GetWorkspace(32, kCPU);
  std::thread([&] { there = GetWorkspace(32, kCPU); }).join();
  EXPECT(there.same_as(here));
  EXPECT(ffi::storage::Erase(ffi::storage::Key("my_library.workspace", kCPU, nullptr)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_workspace_of_all_threads, workspace_of_all_threads);

// [thread_key.begin]
// A key for each thread: no two running threads have the same `here`.
ffi::String KeyOfThisThread(const ffi::String& name, DLDevice device) {
  thread_local char here;
  return ffi::storage::Key(name, device, &here);
}
// [thread_key.end]

// The key is constant within a thread and differs between threads running at the same time; a value
// stored under it outlives the thread.
void key_of_each_thread() {
  const ffi::String mine = KeyOfThisThread("my_library.workspace", kCPU);
  ffi::storage::Set(mine, 1);
  ffi::String theirs, again;
  std::thread([&] {
    theirs = KeyOfThisThread("my_library.workspace", kCPU);
    again = KeyOfThisThread("my_library.workspace", kCPU);
    ffi::storage::Set(theirs, 2);
  }).join();
  EXPECT_EQ(std::string(again), std::string(theirs));
  EXPECT_EQ(std::string(KeyOfThisThread("my_library.workspace", kCPU)), std::string(mine));
  EXPECT_EQ(*ffi::storage::Get<int64_t>(mine), 1);
  EXPECT_EQ(*ffi::storage::Get<int64_t>(theirs), 2);
  EXPECT(ffi::storage::Erase(mine));
  EXPECT(ffi::storage::Erase(theirs));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_key_of_each_thread, key_of_each_thread);

// A value is found until it is erased; setting it again releases the previous one.
void set_get_erase() {
  // [set_get_erase.begin]
  const ffi::String key = ffi::storage::Key("my_library.handle", DLDevice{kDLCUDA, 1});
  EXPECT(!ffi::storage::Get(key).has_value());
  ffi::storage::Set(key, 42);
  EXPECT_EQ(*ffi::storage::Get<int64_t>(key), 42);
  EXPECT(ffi::storage::Erase(key));
  // [set_get_erase.end]
  EXPECT(!ffi::storage::Get(key).has_value());
  EXPECT(!ffi::storage::Erase(key));
  EXPECT_EQ(std::string(key), "my_library.handle@cuda:1");

  ffi::Tensor tensor =
      ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {2}, DLDataType{kDLFloat, 32, 1}, kCPU);
  ffi::storage::Set(key, tensor);
  EXPECT_EQ(tensor.use_count(), 2);
  ffi::storage::Set(key, "text");
  EXPECT_EQ(tensor.use_count(), 1);
  EXPECT_EQ(ffi::storage::Get<std::string>(key).value(), "text");
  EXPECT(ffi::storage::Erase(key));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_set_get_erase, set_get_erase);

// Keys of different devices and streams differ.
void keys() {
  using ffi::storage::Key;
  EXPECT_EQ(std::string(Key("a", kCPU)), "a@cpu:0");
  EXPECT_EQ(std::string(Key("a", kCPU, nullptr)), "a@cpu:0#0");
  EXPECT_EQ(std::string(Key("a", {kDLCUDA, 3}, reinterpret_cast<void*>(255))), "a@cuda:3#255");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_keys, keys);

// A value of another type, and a missing value, are rejected with the key.
void wrong_values() {
  ffi::storage::Set("test_storage.number", 1);
  EXPECT_THROWS("TypeError: storage::Get: expected Tensor at key \"test_storage.number\", got int",
                ffi::storage::Get<ffi::Tensor>("test_storage.number"));
  EXPECT_THROWS(
      "TypeError: storage::GetOrCreate: expected Tensor at key \"test_storage.number\", got int",
      ffi::storage::GetOrCreate<ffi::Tensor>("test_storage.number", [] { return 2; }));
  EXPECT(ffi::storage::Erase("test_storage.number"));
  EXPECT_THROWS("ValueError: ffi.StorageSet: value: expected a value, got None",
                ffi::storage::Set("test_storage.none", nullptr));
  EXPECT_THROWS("ValueError: ffi.StorageGetOrCreate: factory: expected a value, got None",
                ffi::storage::GetOrCreate("test_storage.none", [] { return nullptr; }));
  EXPECT(!ffi::storage::Erase("test_storage.none"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_wrong_values, wrong_values);

// A failing factory leaves nothing behind, and the next one is called.
void factory_that_throws() {
  EXPECT_THROWS("KeyError: no such handle",
                ffi::storage::GetOrCreate("test_storage.fails", []() -> int {
                  TVM_FFI_THROW(KeyError) << "no such handle";
                }));
  EXPECT(!ffi::storage::Get("test_storage.fails").has_value());
  EXPECT_EQ(ffi::storage::GetOrCreate<int>("test_storage.fails", [] { return 5; }), 5);
  EXPECT(ffi::storage::Erase("test_storage.fails"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_factory_that_throws, factory_that_throws);

// A factory may use the store, but not for the key that it is called for.
void factory_that_asks_again() {
  auto inner = [] {
    return ffi::storage::GetOrCreate<int>("test_storage.inner", [] { return 1; });
  };
  EXPECT_EQ(ffi::storage::GetOrCreate<int>("test_storage.outer", inner), 1);
  EXPECT(ffi::storage::Erase("test_storage.inner") && ffi::storage::Erase("test_storage.outer"));
  EXPECT_THROWS(
      "RuntimeError: ffi.StorageGetOrCreate: factory: expected one that does not request the key "
      "that it makes a value for, got a request for \"test_storage.inner\"",
      ffi::storage::GetOrCreate("test_storage.inner", inner));
  EXPECT(!ffi::storage::Get("test_storage.inner").has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_factory_that_asks_again, factory_that_asks_again);

// Two factories that request each other's key do not deadlock: one of them is rejected.
void factories_that_ask_for_each_other() {
  const char* keys[2] = {"test_storage.left", "test_storage.right"};
  std::promise<void> started[2];
  std::string errors[2];
  auto make = [&](int own) {
    errors[own] = error_of([&] {
      ffi::storage::GetOrCreate<int>(keys[own], [&] {
        started[own].set_value();
        started[1 - own].get_future().wait();
        return ffi::storage::GetOrCreate<int>(keys[1 - own], [] { return 1; });
      });
    });
  };
  std::thread other(make, 1);
  make(0);
  other.join();
  const int refused = errors[0] == "no error" ? 1 : 0;
  EXPECT_EQ(errors[1 - refused], std::string("no error"));
  EXPECT_EQ(errors[refused],
            "RuntimeError: ffi.StorageGetOrCreate: factory: expected one that does not request a "
            "key whose factory waits for it, got a request for \"" +
                std::string(keys[1 - refused]) + "\"");
  EXPECT(ffi::storage::Erase(keys[0]) && ffi::storage::Erase(keys[1]));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_factories_that_ask_for_each_other,
                              factories_that_ask_for_each_other);

// A value set while the factory runs is kept.
void set_while_creating() {
  const int got = ffi::storage::GetOrCreate<int>("test_storage.raced", [] {
    ffi::storage::Set("test_storage.raced", 1);
    return 2;
  });
  EXPECT_EQ(got, 1);
  EXPECT(ffi::storage::Erase("test_storage.raced"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_set_while_creating, set_while_creating);

// Of many threads that request a key, one creates the value, and all get it; if a factory fails,
// another thread's is tried.
void threads_share_one_value() {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> calls{0};
    std::atomic<int> failures{0};
    std::atomic<int> asking{0};
    std::vector<int> got(8);
    std::vector<std::thread> threads;
    for (int& value : got) {
      threads.emplace_back([&] {
        ++asking;
        try {
          value = ffi::storage::GetOrCreate<int>("test_storage.shared", [&]() -> int {
            while (asking < 8) std::this_thread::yield();
            for (int i = 0; i < 100; ++i) std::this_thread::yield();
            if (++calls == 1) TVM_FFI_THROW(ValueError) << "the first one fails";
            return 10 + calls;
          });
        } catch (const ffi::Error&) {
          ++failures;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(calls.load(), 2);
    EXPECT_EQ(failures.load(), 1);
    for (int value : got) EXPECT(value == 12 || value == 0);
    EXPECT(ffi::storage::Erase("test_storage.shared"));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_threads_share_one_value, threads_share_one_value);

// While the value of one key is being created, values of others are created and found.
void keys_do_not_wait_for_each_other() {
  std::promise<void> other_is_done;
  std::promise<void> started;
  std::thread slow([&] {
    ffi::storage::GetOrCreate<int>("test_storage.slow", [&] {
      started.set_value();
      other_is_done.get_future().wait();
      return 1;
    });
  });
  started.get_future().wait();
  EXPECT(!ffi::storage::Get("test_storage.slow").has_value());
  EXPECT_EQ(ffi::storage::GetOrCreate<int>("test_storage.quick", [] { return 2; }), 2);
  other_is_done.set_value();
  slow.join();
  EXPECT_EQ(*ffi::storage::Get<int>("test_storage.slow"), 1);
  EXPECT(ffi::storage::Erase("test_storage.slow") && ffi::storage::Erase("test_storage.quick"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_keys_do_not_wait_for_each_other,
                              keys_do_not_wait_for_each_other);

// Every language accesses the store through the same global functions.
void global_functions() {
  auto call = [](const char* name, const auto&... args) {
    return ffi::Function::GetGlobalRequired(name)(args...);
  };
  EXPECT(call("ffi.StorageGet", "test_storage.global") == nullptr);
  ffi::Function factory = ffi::Function::FromTyped([] { return 3; });
  EXPECT_EQ(call("ffi.StorageGetOrCreate", "test_storage.global", factory).cast<int>(), 3);
  call("ffi.StorageSet", "test_storage.global", 4);
  EXPECT_EQ(*ffi::storage::Get<int>("test_storage.global"), 4);
  EXPECT(call("ffi.StorageErase", "test_storage.global").cast<bool>());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_global_functions, global_functions);

TVM_FFI_DLL_EXPORT_TYPED_FUNC(only_in_the_test, [] { return 7; });

// A value keeps the library that frees it loaded while it is stored.
void value_keeps_its_library() {
  Dl_info info;
  EXPECT(dladdr(reinterpret_cast<void*>(&__tvm_ffi_only_in_the_test), &info) != 0);
  const std::string path =
      std::filesystem::path(info.dli_fname).replace_filename("storage_library.so").string();
  auto is_loaded = [&] {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle != nullptr) dlclose(handle);
    return handle != nullptr;
  };
  for (const char* function : {"store_shape", "store_tensor"}) {
    (*ffi::Module::LoadFromFile(path)->GetFunction(function))("test_storage.foreign");
    EXPECT(is_loaded()) << function;
    if (function == std::string("store_shape")) {
      EXPECT_EQ(ffi::storage::Get<ffi::Shape>("test_storage.foreign")->size(), 2u);
    }
    EXPECT(ffi::storage::Erase("test_storage.foreign"));
    EXPECT_EQ(is_loaded(), function == std::string("store_tensor"));  // see Tensor::FromNDAlloc
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_value_keeps_its_library, value_keeps_its_library);
