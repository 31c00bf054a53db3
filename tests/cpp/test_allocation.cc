// SPDX-License-Identifier: Apache-2.0
// Rows: R1, R2
// container/tensor.h: tensors from a library's own allocators, strided ones, and their
// lifetimes.
#include <dlfcn.h>
#include <tvm/ffi/tvm_ffi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "captured_stderr.h"
#include "expect.h"

namespace ffi = tvm::ffi;
namespace fs = std::filesystem;

TVM_FFI_DLL_EXPORT_TYPED_FUNC(only_in_the_test, [] { return 7; });

struct MallocAllocator {
  void AllocData(DLTensor* tensor) {
    const size_t size = ffi::GetDataSize(*tensor);
    tensor->data = std::malloc(size);
    TVM_FFI_CHECK(tensor->data != nullptr || size == 0, MemoryError)
        << "MallocAllocator: no memory for " << size << " bytes";
  }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};

namespace {

constexpr DLDataType kFloat32{kDLFloat, 32, 1};
constexpr DLDevice kCPU{kDLCPU, 0};

// A record of an allocator's calls.
struct Log {
  int allocated = 0;
  int freed = 0;
  void* data = nullptr;
};

// Takes extra arguments, allocates the span, and records its calls.
struct Logging {
  Log* log;

  void AllocData(DLTensor* tensor, int extra_bytes, const char* text) {
    EXPECT(tensor->data == nullptr);
    EXPECT_EQ(std::string(text), "extra");
    tensor->data = std::malloc(ffi::GetSpanSize(*tensor) + static_cast<size_t>(extra_bytes));
    log->data = tensor->data;
    ++log->allocated;
  }
  void FreeData(DLTensor* tensor) {
    EXPECT_EQ(tensor->data, log->data);
    std::free(tensor->data);
    ++log->freed;
  }
};

ffi::Tensor Strided(ffi::ShapeView shape, ffi::ShapeView strides, DLDataType dtype = kFloat32) {
  return ffi::Tensor::FromEnvAllocStrided(TVMFFIEnvTensorAlloc, shape, strides, dtype, kCPU);
}

// A copy of allocation_library.so, which the loader treats as a separate library.
class LibraryCopy {
 public:
  LibraryCopy() {
    std::string pattern = fs::temp_directory_path() / "test_allocation_XXXXXX";
    EXPECT(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    Dl_info info;
    EXPECT(dladdr(reinterpret_cast<void*>(&__tvm_ffi_only_in_the_test), &info) != 0);
    fs::copy_file(fs::path(info.dli_fname).replace_filename("allocation_library.so"), path());
  }
  ~LibraryCopy() { fs::remove_all(folder_); }

  fs::path path() const { return folder_ / "allocation.so"; }
  ffi::Module Load() const { return ffi::Module::LoadFromFile(path().string()); }
  bool IsLoaded() const {
    void* handle = dlopen(path().c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle != nullptr) dlclose(handle);
    return handle != nullptr;
  }

 private:
  fs::path folder_;
};

// Calls a function of the library and drops its only module.
ffi::Any CallAndDrop(const LibraryCopy& library, const char* name, ffi::AnyView argument) {
  return (*library.Load()->GetFunction(name))(argument);
}

}  // namespace

// A tensor from malloc is contiguous, and its memory is the allocator's.
void from_nd_alloc() {
  ffi::Tensor tensor =
      ffi::Tensor::FromNDAlloc(MallocAllocator(), {2, 3}, {kDLFloat, 32, 1}, {kDLCPU, 0});
  EXPECT_EQ(tensor.shape(), ffi::ShapeView({2, 3}));
  EXPECT(tensor.IsContiguous());
  std::memset(tensor.data_ptr(), 0, 24);
  EXPECT_EQ(tensor.strides(), ffi::ShapeView({3, 1}));
  EXPECT_EQ(tensor.dtype(), kFloat32);
  EXPECT_EQ(tensor.device(), kCPU);
  EXPECT_EQ(tensor.use_count(), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_from_nd_alloc, from_nd_alloc);

// The allocator receives the extra arguments; it allocates once and frees once, after the last
// owner, which is a DLPack export here.
void allocates_and_frees_once() {
  Log log;
  DLManagedTensorVersioned* exported = nullptr;
  {
    ffi::Tensor tensor = ffi::Tensor::FromNDAlloc(Logging{&log}, {5}, kFloat32, kCPU, 16, "extra");
    ffi::Tensor other = tensor;
    EXPECT_EQ(tensor.data_ptr(), log.data);
    exported = other.ToDLPackVersioned();
  }
  EXPECT_EQ(log.allocated, 1);
  EXPECT_EQ(log.freed, 0);
  EXPECT_EQ(exported->flags, 0u);
  exported->deleter(exported);
  EXPECT_EQ(log.freed, 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_allocates_and_frees_once, allocates_and_frees_once);

// Strides are kept, and the allocator sees the span that they require.
void from_nd_alloc_strided() {
  Log log;
  ffi::Tensor tensor =
      ffi::Tensor::FromNDAllocStrided(Logging{&log}, {2, 3}, {1, 4}, kFloat32, kCPU, 0, "extra");
  EXPECT_EQ(tensor.strides(), ffi::ShapeView({1, 4}));
  EXPECT_EQ(ffi::GetSpanSize(*tensor.GetDLTensorPtr()), 4u * (1 + 2 * 4 + 1));
  EXPECT_EQ(ffi::GetDataSize(*tensor.GetDLTensorPtr()), 4u * 6);
  EXPECT(!tensor.IsContiguous());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_from_nd_alloc_strided, from_nd_alloc_strided);

// 0-dim, empty and sub-byte tensors are allocated with the right number of bytes.
void sizes_of_odd_tensors() {
  struct Case {
    std::initializer_list<int64_t> shape;
    DLDataType dtype;
    size_t bytes;
  };
  constexpr DLDataType kFloat4{kDLFloat4_e2m1fn, 4, 1};
  for (const Case& c : {Case{{}, kFloat32, 4}, Case{{0}, kFloat32, 0}, Case{{3, 0, 5}, kFloat32, 0},
                        Case{{3}, kFloat4, 2}, Case{{1}, {kDLFloat4_e2m1fn, 4, 2}, 1},
                        Case{{7}, {kDLBool, 8, 1}, 7}, Case{{2, 2}, {kDLFloat, 32, 4}, 64}}) {
    ffi::Tensor tensor = ffi::Tensor::FromNDAlloc(MallocAllocator(), c.shape, c.dtype, kCPU);
    EXPECT_EQ(ffi::GetDataSize(*tensor.GetDLTensorPtr()), c.bytes) << ffi::ShapeView(c.shape);
    EXPECT_EQ(ffi::GetSpanSize(*tensor.GetDLTensorPtr()), c.bytes) << ffi::ShapeView(c.shape);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_sizes_of_odd_tensors, sizes_of_odd_tensors);

// Impossible shapes are rejected before the allocator is called.
void refuses_impossible_shapes() {
  Log log;
  auto make = [&](ffi::ShapeView shape, DLDataType dtype = kFloat32) {
    ffi::Tensor::FromNDAlloc(Logging{&log}, shape, dtype, kCPU, 0, "extra");
  };
  EXPECT_THROWS(
      "ValueError: FromNDAlloc: shape: expected extents that are not negative, got (2, -1)",
      make({2, -1}));
  EXPECT_THROWS(
      "MemoryError: FromNDAlloc: expected a size that fits in memory, got shape "
      "(4611686018427387904, 4) of float32",
      make({INT64_MAX / 2 + 1, 4}));
  EXPECT_THROWS_WITH("MemoryError: FromNDAlloc:", make({INT64_MAX / 16}, {kDLFloat, 64, 4}));
  EXPECT_THROWS_WITH("MemoryError: FromNDAlloc:", make({0, INT64_MAX, INT64_MAX}));
  EXPECT_THROWS(
      "ValueError: FromNDAllocStrided: strides: expected 2 strides, one for each extent, got 1",
      ffi::Tensor::FromNDAllocStrided(Logging{&log}, {2, 3}, {1}, kFloat32, kCPU, 0, "extra"));
  EXPECT_THROWS_WITH("MemoryError: FromNDAllocStrided:",
                     ffi::Tensor::FromNDAllocStrided(Logging{&log}, {3}, {INT64_MAX / 2}, kFloat32,
                                                     kCPU, 0, "extra"));
  EXPECT_EQ(log.allocated, 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_refuses_impossible_shapes, refuses_impossible_shapes);

// Exceptions from AllocData reach the caller, and nothing is freed that was not allocated.
void alloc_data_may_throw() {
  struct Throwing {
    Log* log;
    void AllocData(DLTensor*) { TVM_FFI_THROW(MemoryError) << "pool: no memory"; }
    void FreeData(DLTensor*) { ++log->freed; }
  };
  Log log;
  EXPECT_THROWS("MemoryError: pool: no memory",
                ffi::Tensor::FromNDAlloc(Throwing{&log}, {3}, kFloat32, kCPU));
  EXPECT_EQ(log.freed, 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_alloc_data_may_throw, alloc_data_may_throw);

// A failed free is reported on stderr, and the program continues.
void failed_free_is_reported() {
  struct FailingFree {
    void AllocData(DLTensor* tensor) { tensor->data = this; }
    void FreeData(DLTensor*) { TVM_FFI_THROW(RuntimeError) << "pool: cannot free"; }
  };
  EXPECT_EQ(StderrOf([] { ffi::Tensor::FromNDAlloc(FailingFree(), {3}, kFloat32, kCPU); }),
            "Tensor::FromNDAlloc: FreeData: ignored: RuntimeError: pool: cannot free\n");
  struct Odd {
    void AllocData(DLTensor*) {}
    void FreeData(DLTensor*) { throw 7; }
  };
  EXPECT_EQ(StderrOf([] { ffi::Tensor::FromNDAlloc(Odd(), {3}, kFloat32, kCPU); }),
            "Tensor::FromNDAlloc: FreeData: ignored: an exception that is not a std::exception\n");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_failed_free_is_reported, failed_free_is_reported);

// A library stays loaded once it has created a tensor with its allocator, as its code frees it.
void outlives_its_module() {
  LibraryCopy library;
  int freed = 0;
  ffi::Tensor tensor = CallAndDrop(library, "make", static_cast<void*>(&freed)).cast<ffi::Tensor>();
  EXPECT(library.IsLoaded());  // The module is gone.
  tensor = ffi::Tensor();
  EXPECT_EQ(freed, 1);
  EXPECT(library.IsLoaded());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_outlives_its_module, outlives_its_module);

// The tensors of a library without a module may be freed in any thread and order.
void tensors_end_in_any_order() {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    LibraryCopy library;
    int freed[6] = {};
    std::vector<ffi::Tensor> tensors;
    {
      ffi::Module module = library.Load();
      for (int& count : freed) {
        tensors.push_back(
            (*module->GetFunction("make"))(static_cast<void*>(&count)).cast<ffi::Tensor>());
      }
    }
    std::shuffle(tensors.begin(), tensors.end(), random);
    std::vector<std::thread> threads;
    EXPECT(library.IsLoaded());
    for (ffi::Tensor& tensor : tensors) {
      threads.emplace_back([&tensor] { tensor = ffi::Tensor(); });
    }
    for (std::thread& thread : threads) thread.join();
    for (int count : freed) EXPECT_EQ(count, 1);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_tensors_end_in_any_order, tensors_end_in_any_order);

// A function made of a lambda keeps the lambda's library loaded.
void function_outlives_its_module() {
  LibraryCopy library;
  auto add = CallAndDrop(library, "adder", 40).cast<ffi::Function>();
  EXPECT_EQ(add(2).cast<int>(), 42);
  EXPECT(library.IsLoaded());
  add = ffi::Function();
  EXPECT(library.IsLoaded());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_function_outlives_its_module, function_outlives_its_module);

// Tensors from the environment have the requested strides.
void from_env_alloc_strided() {
  // Column-major, with one row of padding after each column.
  ffi::Tensor tensor = ffi::Tensor::FromEnvAllocStrided(TVMFFIEnvTensorAlloc, {3, 2}, {1, 4},
                                                        {kDLFloat, 32, 1}, {kDLCPU, 0});
  EXPECT_EQ(tensor.shape(), ffi::ShapeView({3, 2}));
  EXPECT_EQ(tensor.strides(), ffi::ShapeView({1, 4}));
  std::memset(tensor.data_ptr(), 0, ffi::GetSpanSize(*tensor.GetDLTensorPtr()));
  EXPECT(tensor.IsAligned(64));
  EXPECT_EQ(Strided({}, {}).numel(), 1);
  EXPECT_EQ(Strided({0, 3}, {7, 0}).numel(), 0);
  EXPECT_EQ(Strided({1, 3}, {0, 1}).strides(), ffi::ShapeView({0, 1}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_from_env_alloc_strided, from_env_alloc_strided);

// Strides that make elements overlap, or precede the first one, are rejected.
void refuses_overlapping_strides() {
  EXPECT_THROWS(
      "ValueError: FromEnvAllocStrided: strides: expected strides that are not negative, got (-1,)",
      Strided({3}, {-1}));
  EXPECT_THROWS(
      "ValueError: FromEnvAllocStrided: strides: expected strides without overlapping "
      "elements, got (2, 1) for shape (2, 3)",
      Strided({2, 3}, {2, 1}));
  EXPECT_THROWS(
      "ValueError: FromEnvAllocStrided: strides: expected 2 strides, one for each extent, got 3",
      Strided({2, 3}, {3, 1, 1}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_refuses_overlapping_strides, refuses_overlapping_strides);

// Random strides: accepted ones have no overlapping elements, and padded layouts of permuted
// dimensions are accepted.
void random_strides() {
  std::mt19937 random(11);
  auto below = [&](int n) { return static_cast<int64_t>(random() % static_cast<unsigned>(n)); };
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    int64_t shape[3] = {below(4), 1 + below(4), 1 + below(4)};
    int64_t strides[3] = {below(14), below(14), below(14)};
    const ffi::ShapeView s(shape, 3);
    const ffi::ShapeView t(strides, 3);
    const std::string error = error_of([&] { Strided(s, t); });
    if (error != "no error") {
      EXPECT_EQ(error.substr(0, 10), "ValueError");
      continue;
    }
    ++accepted;
    std::set<int64_t> places;
    int64_t elements = 0;
    for (int64_t i = 0; i < shape[0]; ++i) {
      for (int64_t j = 0; j < shape[1]; ++j) {
        for (int64_t k = 0; k < shape[2]; ++k, ++elements) {
          places.insert(i * strides[0] + j * strides[1] + k * strides[2]);
        }
      }
    }
    EXPECT_EQ(static_cast<int64_t>(places.size()), elements) << s << t;
  }
  EXPECT(accepted > 300);
  for (int round = 0; round < 300; ++round) {
    int order[3] = {0, 1, 2};
    std::shuffle(order, order + 3, random);
    int64_t shape[3], strides[3];
    int64_t step = 1;
    for (int dimension : order) {
      shape[dimension] = 1 + below(5);
      strides[dimension] = step;
      step = step * shape[dimension] + below(3);
    }
    EXPECT_EQ(Strided({shape, 3}, {strides, 3}).strides(), ffi::ShapeView(strides, 3));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_random_strides, random_strides);

// A strided view shares the memory and keeps it alive; the offset counts elements.
void as_strided() {
  ffi::Tensor tensor =
      ffi::Tensor::FromNDAlloc(MallocAllocator(), {2, 3}, {kDLFloat, 32, 1}, {kDLCPU, 0});
  ffi::Tensor column = tensor.as_strided({2}, {3}, 1);
  EXPECT_EQ(column.data_ptr(), static_cast<void*>(static_cast<float*>(tensor.data_ptr()) + 1));
  EXPECT_EQ(tensor.use_count(), 2);
  EXPECT_EQ(column.as_strided({1}, {1}, 2).data_ptr(),
            static_cast<void*>(static_cast<float*>(tensor.data_ptr()) + 3));
  EXPECT_EQ(column.as_strided({1}, {1}).data_ptr(), column.data_ptr());
  EXPECT_THROWS("ValueError: as_strided: strides: expected 1 strides, one for each extent, got 2",
                tensor.as_strided({2}, {3, 1}));
  EXPECT_THROWS("ValueError: as_strided: shape: expected extents that are not negative, got (-2,)",
                tensor.as_strided({-2}, {3}));
  ffi::Tensor packed =
      ffi::Tensor::FromNDAlloc(MallocAllocator(), {8}, {kDLFloat4_e2m1fn, 4, 1}, kCPU);
  EXPECT_EQ(packed.as_strided({2}, {1}, 2).data_ptr(),
            static_cast<void*>(static_cast<char*>(packed.data_ptr()) + 1));
  EXPECT_THROWS(
      "ValueError: as_strided: element_offset: expected whole bytes, got 3 elements of "
      "float4_e2m1fn",
      packed.as_strided({2}, {1}, 3));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_as_strided, as_strided);

// A view of a view refers to the extents it is given; opaque addresses stay unchanged.
void as_strided_of_a_view() {
  float data[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[] = {2, 3};
  DLTensor lent{data, kCPU, 2, kFloat32, shape, nullptr, 0};
  const int64_t new_shape[] = {2};
  const int64_t new_strides[] = {-3};
  ffi::TensorView view = ffi::TensorView(&lent).as_strided({new_shape, 1}, {new_strides, 1}, 4);
  EXPECT_EQ(static_cast<float*>(view.data_ptr())[view.stride(0)], 1.0f);
  lent.device = {kDLOpenCL, 0};
  lent.byte_offset = 8;
  view = ffi::TensorView(&lent).as_strided({new_shape, 1}, {new_strides, 1}, 3);
  EXPECT_EQ(view.data_ptr(), static_cast<void*>(data));
  EXPECT_EQ(view.byte_offset(), 20u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_as_strided_of_a_view, as_strided_of_a_view);

// A view of a read-only tensor is exported as read-only.
void view_of_a_read_only_tensor() {
  float data[4] = {};
  int64_t shape[] = {4};
  DLManagedTensorVersioned source{};
  source.version = {1, 0};
  source.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  source.dl_tensor = {data, kCPU, 1, kFloat32, shape, nullptr, 0};
  ffi::Tensor tensor = ffi::Tensor::FromDLPackVersioned(&source);
  DLManagedTensorVersioned* exported =
      tensor.as_strided({2}, {2}).as_strided({1}, {1}).ToDLPackVersioned();
  EXPECT_EQ(exported->flags, uint64_t{DLPACK_FLAG_BITMASK_READ_ONLY});
  exported->deleter(exported);
  // The format before DLPack 1.0 cannot express it.
  exported = ffi::Tensor::FromDLPack(tensor.ToDLPack()).ToDLPackVersioned();
  EXPECT_EQ(exported->flags, 0u);
  exported->deleter(exported);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_view_of_a_read_only_tensor, view_of_a_read_only_tensor);
