// SPDX-License-Identifier: Apache-2.0
// Rows: R2, R4
// extra/c_env_api.h: streams, the tensor allocator, signals.
#include <dlfcn.h>
#include <sys/resource.h>
#include <tvm/ffi/tvm_ffi.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

constexpr DLDataType kFloat32{kDLFloat, 32, 1};
constexpr DLDevice kCPU{kDLCPU, 0};

TVMFFIStreamHandle Stream(uintptr_t number) { return reinterpret_cast<TVMFFIStreamHandle>(number); }

// Runs `function` in a new thread, whose tables are empty, and rethrows its exception.
template <typename F>
void InNewThread(F function) {
  std::optional<ffi::Error> error;
  std::thread([&] {
    try {
      function();
    } catch (const ffi::Error& thrown) {
      error = thrown;
    }
  }).join();
  if (error.has_value()) throw *error;
}

}  // namespace

// Each thread has a current stream for each device: the default one until it is set.
void streams() {
  InNewThread([] {
    EXPECT(TVMFFIEnvGetStream(kDLCUDA, 0) == nullptr);
    TVMFFIStreamHandle before = Stream(1);
    EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 1, Stream(16), &before), 0);
    EXPECT(before == nullptr);
    EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 1), Stream(16));
    EXPECT(TVMFFIEnvGetStream(kDLCUDA, 0) == nullptr);
    EXPECT(TVMFFIEnvGetStream(kDLCUDA, 2) == nullptr);
    EXPECT(TVMFFIEnvGetStream(kDLROCM, 1) == nullptr);
    EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 1, Stream(32), &before), 0);
    EXPECT_EQ(before, Stream(16));
    EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 0, Stream(48), nullptr), 0);
    EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 1), Stream(32));
    EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 0), Stream(48));
    InNewThread([] { EXPECT(TVMFFIEnvGetStream(kDLCUDA, 1) == nullptr); });
    EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 1, nullptr, nullptr), 0);
    EXPECT(TVMFFIEnvGetStream(kDLCUDA, 1) == nullptr);
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_streams, streams);

// Many threads set and read streams of the same devices at once; none sees another's.
void streams_of_many_threads() {
  std::vector<std::thread> threads;
  std::vector<char> right(8, false);
  std::atomic<size_t> ready{0};
  for (size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&right, &ready, t] {
      bool ok = true;
      // All start at once; otherwise one may finish before the next one starts.
      for (++ready; ready < right.size();) std::this_thread::yield();
      for (int32_t round = 0; round < 200; ++round) {
        for (int32_t id = 0; id < 5; ++id) {
          ok &= TVMFFIEnvSetStream(kDLCUDA, id, Stream(16 * (t + 1)), nullptr) == 0;
          ok &= TVMFFIEnvGetStream(kDLCUDA, id) == Stream(16 * (t + 1));
        }
        ok &= TVMFFIEnvSetStream(kDLCUDA, round % 5, nullptr, nullptr) == 0;
        ok &= TVMFFIEnvGetStream(kDLCUDA, round % 5) == nullptr;
      }
      right[t] = ok;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(std::all_of(right.begin(), right.end(), [](char ok) { return ok != 0; }));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_streams_of_many_threads, streams_of_many_threads);

namespace {

std::string seen_at_the_end;

// Runs code after the thread's tables have been freed, because it was constructed before them.
struct LastOfThread {
  ~LastOfThread() {
    TVMFFIEnvSetStream(kDLCUDA, 0, Stream(16), nullptr);
    seen_at_the_end = TVMFFIEnvGetStream(kDLCUDA, 0) == Stream(16) ? "stream, " : "no stream, ";
    try {
      TVM_FFI_THROW(ValueError) << "a message that is too long to stand in the string itself";
    } catch (const ffi::Error& error) {
      seen_at_the_end += error.kind();
    }
    TVMFFIErrorSetRaisedFromCStr("KeyError", "raised and never taken");
  }
};

}  // namespace

// A destructor that runs at thread exit may still use streams and throw errors.
void end_of_a_thread() {
  for (int round = 0; round < 3; ++round) {
    InNewThread([] {
      static thread_local LastOfThread last;
      static_cast<void>(last);
      EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 0, Stream(32), nullptr), 0);
      EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 1, Stream(32), nullptr), 0);
      TVMFFIErrorSetRaisedFromCStr("KeyError", "raised and never taken");
      EXPECT_THROWS("ValueError: caught", TVM_FFI_THROW(ValueError) << "caught");
    });
    EXPECT_EQ(seen_at_the_end, std::string("stream, ValueError"));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_end_of_a_thread, end_of_a_thread);

// The largest device id takes no more memory than the first.
void large_device_id() {
  InNewThread([] {
    // Less than a table of all ids would need.
    rlimit before{};
    EXPECT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    rlimit small = before;
    small.rlim_cur = std::min<rlim_t>(before.rlim_max, rlim_t{16} << 30);
    EXPECT_EQ(setrlimit(RLIMIT_AS, &small), 0);
    const int code = TVMFFIEnvSetStream(kDLCUDA, INT32_MAX, Stream(16), nullptr);
    EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_EQ(code, 0);
    EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, INT32_MAX), Stream(16));
    EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, INT32_MAX, nullptr, nullptr), 0);
    EXPECT(TVMFFIEnvGetStream(kDLCUDA, INT32_MAX) == nullptr);
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_large_device_id, large_device_id);

// A negative device is rejected by the setter, and has the default stream in the getter.
void negative_devices() {
  EXPECT(TVMFFIEnvGetStream(-1, 0) == nullptr);
  EXPECT(TVMFFIEnvGetStream(kDLCUDA, -1) == nullptr);
  EXPECT_THROWS(
      "ValueError: TVMFFIEnvSetStream: expected a device type and id that are not "
      "negative, got 2 and -1",
      TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvSetStream(kDLCUDA, -1, Stream(16), nullptr)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_negative_devices, negative_devices);

namespace {

int allocations = 0, deletions = 0;
float storage[16];

// A managed tensor in static memory, with the requested DLPack version and the shape of the
// prototype.
template <uint32_t kMajor, int32_t kMarker>
int Allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void*,
             void (*)(void*, const char*, const char*)) {
  static DLManagedTensorVersioned managed;
  static int64_t shape[4];
  ++allocations;
  managed.version = {kMajor, 0};
  managed.manager_ctx = nullptr;
  managed.deleter = [](DLManagedTensorVersioned*) { ++deletions; };
  managed.flags = 0;
  managed.dl_tensor = *prototype;
  managed.dl_tensor.data = storage + kMarker;
  managed.dl_tensor.shape = shape;
  for (int32_t i = 0; i < prototype->ndim; ++i) shape[i] = prototype->shape[i];
  *out = &managed;
  return 0;
}
constexpr DLPackManagedTensorAllocator kFirst = Allocate<1, 0>;
constexpr DLPackManagedTensorAllocator kSecond = Allocate<1, 1>;

int FailWithKind(DLTensor*, DLManagedTensorVersioned**, void* context,
                 void (*set_error)(void*, const char*, const char*)) {
  set_error(context, "OutOfMemoryError", "tried to allocate 3 GiB");
  return -1;
}
int FailSilently(DLTensor*, DLManagedTensorVersioned**, void*,
                 void (*)(void*, const char*, const char*)) {
  return -1;
}

void SetAllocator(DLPackManagedTensorAllocator allocator, bool global = false) {
  EXPECT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(allocator, global, nullptr), 0);
}
ffi::Tensor NewTensor(DLDevice device = kCPU) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {2, 3}, kFloat32, device);
}

// Removes the allocator of all threads, even when a test fails.
struct GlobalAllocator {
  explicit GlobalAllocator(DLPackManagedTensorAllocator allocator) {
    SetAllocator(allocator, true);
  }
  ~GlobalAllocator() { TVMFFIEnvSetDLPackManagedTensorAllocator(nullptr, 1, nullptr); }
};

}  // namespace

// A thread's own allocator takes precedence over that of all threads, and that over the CPU one.
void which_allocator() {
  InNewThread([] {
    EXPECT(TVMFFIEnvGetDLPackManagedTensorAllocator() == nullptr);
    SetAllocator(kFirst);
    EXPECT(TVMFFIEnvGetDLPackManagedTensorAllocator() == kFirst);
    InNewThread([] { EXPECT(TVMFFIEnvGetDLPackManagedTensorAllocator() == nullptr); });
    {
      GlobalAllocator global(kSecond);
      EXPECT(TVMFFIEnvGetDLPackManagedTensorAllocator() == kSecond);
      InNewThread([] { EXPECT(TVMFFIEnvGetDLPackManagedTensorAllocator() == kSecond); });
      DLPackManagedTensorAllocator before = nullptr;
      EXPECT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(kFirst, 0, &before), 0);
      EXPECT(before == kSecond);
      EXPECT(TVMFFIEnvGetDLPackManagedTensorAllocator() == kFirst);
      InNewThread([] {
        EXPECT_EQ(NewTensor().data_ptr(), static_cast<void*>(storage + 1));
        SetAllocator(kFirst);
        EXPECT_EQ(NewTensor().data_ptr(), static_cast<void*>(storage));
        SetAllocator(nullptr);
        EXPECT_EQ(NewTensor().data_ptr(), static_cast<void*>(storage + 1));
      });
    }
    SetAllocator(nullptr);
    EXPECT(TVMFFIEnvGetDLPackManagedTensorAllocator() == nullptr);
    EXPECT(NewTensor().IsAligned(64));
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_which_allocator, which_allocator);

// An allocated tensor is as requested, and is returned to the allocator once.
void allocated_tensor() {
  InNewThread([] {
    SetAllocator(kFirst);
    allocations = deletions = 0;
    {
      ffi::Tensor tensor = NewTensor({kDLCUDA, 3});
      EXPECT_EQ(tensor.shape(), ffi::ShapeView({2, 3}));
      EXPECT_EQ(tensor.strides(), ffi::ShapeView({3, 1}));
      EXPECT_EQ(tensor.dtype(), kFloat32);
      EXPECT_EQ(tensor.device(), (DLDevice{kDLCUDA, 3}));
      EXPECT_EQ(allocations, 1);
      ffi::Tensor copy = tensor;
      EXPECT_EQ(deletions, 0);
    }
    EXPECT_EQ(deletions, 1);
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_allocated_tensor, allocated_tensor);

// The kind and message of an allocator's failure are kept; a silent one is a RuntimeError.
void failing_allocator() {
  InNewThread([] {
    SetAllocator(FailWithKind);
    EXPECT_THROWS("OutOfMemoryError: TVMFFIEnvTensorAlloc: tried to allocate 3 GiB", NewTensor());
    SetAllocator(FailSilently);
    EXPECT_THROWS(
        "RuntimeError: TVMFFIEnvTensorAlloc: expected a tensor, but the allocator "
        "failed and gave no reason",
        NewTensor());
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_failing_allocator, failing_allocator);

// An allocator that reports success without a tensor, or failure without a message, is an error.
void allocator_of_nothing() {
  InNewThread([] {
    SetAllocator([](DLTensor*, DLManagedTensorVersioned** out, void*,
                    void (*)(void*, const char*, const char*)) {
      *out = nullptr;
      return 0;
    });
    EXPECT_THROWS(
        "RuntimeError: TVMFFIEnvTensorAlloc: expected a tensor from the allocator, got NULL",
        NewTensor());
    SetAllocator([](DLTensor*, DLManagedTensorVersioned**, void* context,
                    void (*set_error)(void*, const char*, const char*)) {
      set_error(context, nullptr, nullptr);
      return -1;
    });
    EXPECT_THROWS(
        "RuntimeError: TVMFFIEnvTensorAlloc: expected a tensor, but the allocator "
        "failed and gave no reason",
        NewTensor());
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_allocator_of_nothing, allocator_of_nothing);

// A tensor of an unsupported DLPack version is returned to its allocator.
void allocator_of_another_version() {
  InNewThread([] {
    SetAllocator(Allocate<2, 0>);
    deletions = 0;
    EXPECT_THROWS("ValueError: TVMFFITensorFromDLPackVersioned: from: expected DLPack 1.x, got 2.0",
                  NewTensor());
    EXPECT_EQ(deletions, 1);
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_allocator_of_another_version, allocator_of_another_version);

namespace {

std::string calls;
int signal_code = 0;

// Restores Python's functions.
struct PythonFunctions {
  ~PythonFunctions() {
    for (const char* name : {"PyErr_CheckSignals", "PyGILState_Ensure", "PyGILState_Release"}) {
      TVMFFIEnvRegisterCAPI(name, dlsym(RTLD_DEFAULT, name));
    }
  }
};

template <typename F>
void RegisterHost(const char* name, F* function) {
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvRegisterCAPI(name, reinterpret_cast<void*>(function)));
}

}  // namespace

// Signals are checked while holding the interpreter's lock; a pending one is code -2.
void check_signals() {
  PythonFunctions restored_at_the_end;
  calls.clear();
  RegisterHost("PyGILState_Ensure", +[] { return calls += "lock ", 5; });
  RegisterHost("PyErr_CheckSignals", +[] { return calls += "check ", signal_code; });
  RegisterHost("PyGILState_Release", +[](int state) { calls += state == 5 ? "unlock" : "wrong"; });
  signal_code = 0;
  EXPECT_EQ(TVMFFIEnvCheckSignals(), 0);
  EXPECT_EQ(calls, std::string("lock check unlock"));
  signal_code = -1;
  EXPECT_EQ(TVMFFIEnvCheckSignals(), -2);
  EXPECT_THROWS(
      "ValueError: TVMFFIEnvRegisterCAPI: name: expected PyErr_CheckSignals, PyGILState_Ensure, "
      "PyGILState_Release or TensorFlags, got \"PyErr_Print\"",
      TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvRegisterCAPI("PyErr_Print", nullptr)));
  EXPECT_THROWS("ValueError: TVMFFIEnvRegisterCAPI: name: expected a name, got NULL",
                TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvRegisterCAPI(nullptr, nullptr)));
  RegisterHost<void()>("PyErr_CheckSignals", nullptr);
  EXPECT_EQ(TVMFFIEnvCheckSignals(), 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_check_signals, check_signals);
