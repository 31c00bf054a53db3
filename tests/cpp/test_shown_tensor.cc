// SPDX-License-Identifier: Apache-2.0
// Rows: R8
// Shown by tensor.rst: tensor metadata, allocators, views, and DLPack.
#include <dlfcn.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "captured_stderr.h"
#include "expect.h"
// [includes.begin]
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
// [includes.end]

// [malloc_allocator.begin]
struct MallocAllocator {
  void AllocData(DLTensor* tensor) {
    const size_t size = ffi::GetDataSize(*tensor);
    tensor->data = std::malloc(size);
    TVM_FFI_CHECK(tensor->data != nullptr || size == 0, MemoryError)
        << "MallocAllocator: no memory for " << size << " bytes";
  }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};
// [malloc_allocator.end]

namespace {

ffi::Tensor NewTensor(ffi::ShapeView shape) {
  return ffi::Tensor::FromNDAlloc(MallocAllocator(), shape, {kDLFloat, 32, 1}, {kDLCPU, 0});
}

bool IsLoaded(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

}  // namespace

// A tensor answers every question about its metadata.
void queries() {
  // [queries.begin]
  ffi::Tensor tensor = NewTensor({2, 3, 4});
  ffi::TensorView view = tensor;
  EXPECT_EQ(view.ndim(), 3);
  EXPECT_EQ(view.shape()[1], 3);
  EXPECT_EQ(view.size(-1), 4);  // Negative indices count from the end.
  EXPECT_EQ(view.stride(0), 12);
  EXPECT_EQ(view.numel(), 24);
  EXPECT_EQ(view.dtype().bits, 32);
  EXPECT_EQ(view.device().device_type, kDLCPU);
  EXPECT_EQ(view.data_ptr(), tensor.data_ptr());
  EXPECT(view.IsContiguous());
  // [queries.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_queries, queries);

// Devices are compared and printed as in a kernel, without a namespace.
void device() {
  // [device.begin]
  auto check_device = [](ffi::TensorView x) {
    if (x.device() != DLDevice{kDLCUDA, 0}) {
      TVM_FFI_THROW(ValueError) << "expected a tensor on cuda:0, got " << x.device();
    }
  };
  ffi::Tensor on_cpu = NewTensor({3});
  EXPECT_THROWS("ValueError: expected a tensor on cuda:0, got cpu:0", check_device(on_cpu));
  // [device.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_device, device);

// A byte offset is folded into the address.
void byte_offset() {
  // [byte_offset.begin]
  float data[] = {0, 1, 2, 3};
  int64_t shape[] = {2};
  int64_t strides[] = {1};
  const uint64_t offset = 2 * sizeof(float);
  DLTensor tensor{data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, strides, offset};
  ffi::TensorView view(&tensor);
  EXPECT_EQ(*static_cast<float*>(view.data_ptr()), 2.0f);
  EXPECT_EQ(view.byte_offset(), 0u);
  // [byte_offset.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_byte_offset, byte_offset);

// A borrowed tensor without strides gets them as a parameter.
void null_strides() {
  // [null_strides.begin]
  float data[6] = {};
  int64_t shape[] = {2, 3};
  DLTensor tensor{data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, nullptr, 0};
  ffi::Function f =
      ffi::Function::FromTyped([](ffi::TensorView x) { EXPECT_EQ(x.strides()[0], 3); });
  f(&tensor);
  // [null_strides.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_null_strides, null_strides);

// A tensor from malloc is contiguous.
void from_nd_alloc() {
  // [from_nd_alloc.begin]
  ffi::Tensor tensor =
      ffi::Tensor::FromNDAlloc(MallocAllocator(), {2, 3}, {kDLFloat, 32, 1}, {kDLCPU, 0});
  EXPECT_EQ(tensor.numel(), 6);
  EXPECT(tensor.IsContiguous());
  // [from_nd_alloc.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_from_nd_alloc, from_nd_alloc);

// A strided view shares the memory and keeps it alive; the offset counts elements.
void as_strided() {
  // [as_strided.begin]
  ffi::Tensor tensor =
      ffi::Tensor::FromNDAlloc(MallocAllocator(), {2, 3}, {kDLFloat, 32, 1}, {kDLCPU, 0});
  ffi::Tensor column = tensor.as_strided({2}, {3}, 1);
  EXPECT_EQ(column.data_ptr(), static_cast<void*>(static_cast<float*>(tensor.data_ptr()) + 1));
  EXPECT_EQ(tensor.use_count(), 2);
  // [as_strided.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_as_strided, as_strided);

// Tensors from the environment have the requested strides.
void from_env_alloc_strided() {
  // [from_env_alloc_strided.begin]
  // Column-major, with one row of padding after each column.
  ffi::Tensor tensor = ffi::Tensor::FromEnvAllocStrided(TVMFFIEnvTensorAlloc, {3, 2}, {1, 4},
                                                        {kDLFloat, 32, 1}, {kDLCPU, 0});
  EXPECT_EQ(tensor.size(0), 3);
  EXPECT_EQ(tensor.stride(1), 4);
  // [from_env_alloc_strided.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_from_env_alloc_strided, from_env_alloc_strided);

// A failed free is reported on stderr, and the program continues.
void failed_free() {
  // [failed_free.begin]
  struct FailingFree {
    void AllocData(DLTensor* tensor) { tensor->data = this; }
    void FreeData(DLTensor*) { TVM_FFI_THROW(RuntimeError) << "pool: cannot free"; }
  };
  const std::string told = StderrOf(
      [] { ffi::Tensor::FromNDAlloc(FailingFree(), {3}, {kDLFloat, 32, 1}, {kDLCPU, 0}); });
  EXPECT_EQ(told, "Tensor::FromNDAlloc: FreeData: ignored: RuntimeError: pool: cannot free\n");
  // [failed_free.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_failed_free, failed_free);

// A library stays loaded once it has created a tensor with its allocator, as its code frees it.
void outlives_its_module() {
  Dl_info info;
  EXPECT(dladdr(reinterpret_cast<void*>(&__tvm_ffi_test_queries), &info) != 0);
  const std::string here = info.dli_fname;
  const std::string path = here.substr(0, here.rfind('/')) + "/shown_tensor_library.so";
  int freed = 0;
  // [outlives_its_module.begin]
  std::optional<ffi::Module> module = ffi::Module::LoadFromFile(path);
  void* counter = &freed;
  ffi::Tensor tensor = module.value()->GetFunction("make").value()(counter).cast<ffi::Tensor>();
  module.reset();
  EXPECT(IsLoaded(path));  // The module is gone.
  tensor = ffi::Tensor();
  EXPECT_EQ(freed, 1);
  EXPECT(IsLoaded(path));  // It stays, since it may have created others.
  // [outlives_its_module.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_outlives_its_module, outlives_its_module);

// A DLPack tensor is shared, and the producer's deleter runs once, after the last owner.
void dlpack() {
  float data[3] = {1, 2, 3};
  int64_t shape[1] = {3};
  int deleted = 0;
  DLManagedTensorVersioned source{};
  source.version = {1, 0};
  source.dl_tensor = {data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  source.manager_ctx = &deleted;
  source.deleter = [](DLManagedTensorVersioned* self) { ++*static_cast<int*>(self->manager_ctx); };
  DLManagedTensorVersioned* exported;
  {
    // [dlpack.begin]
    ffi::Tensor tensor = ffi::Tensor::FromDLPackVersioned(&source);
    EXPECT_EQ(tensor.data_ptr(), static_cast<void*>(data));  // shared, not copied
    exported = tensor.ToDLPackVersioned();
    EXPECT_EQ(tensor.use_count(), 2);             // the export holds a reference
    EXPECT(source.dl_tensor.strides == nullptr);  // allowed in DLPack 1.0
    EXPECT(exported->version.minor >= 2 && exported->dl_tensor.strides != nullptr);
    // [dlpack.end]
  }
  EXPECT_EQ(deleted, 0);
  exported->deleter(exported);
  EXPECT_EQ(deleted, 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dlpack, dlpack);
