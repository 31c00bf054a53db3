// SPDX-License-Identifier: Apache-2.0
// Rows: R1, R2
// container/tensor.h: metadata, views of unusual DLTensors, DLPack both ways, allocation.
#include <tvm/ffi/tvm_ffi.h>

#include <limits>
#include <memory>
#include <random>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

constexpr DLDataType kFloat32{kDLFloat, 32, 1};

// A tensor from the CPU allocator.
ffi::Tensor NewTensor(ffi::ShapeView shape) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, shape, kFloat32, DLDevice{kDLCPU, 0});
}

}  // namespace

// A tensor answers every question about its metadata.
void queries() {
  ffi::Tensor tensor = NewTensor({2, 3, 4});
  ffi::TensorView view = tensor;
  EXPECT_EQ(view.ndim(), 3);
  EXPECT_EQ(view.shape(), ffi::ShapeView({2, 3, 4}));
  EXPECT_EQ(view.strides(), ffi::ShapeView({12, 4, 1}));
  EXPECT_EQ(view.size(-1), 4);  // Negative indices count from the end.
  EXPECT_EQ(view.stride(0), 12);
  EXPECT_EQ(view.numel(), 24);
  EXPECT_EQ(view.dtype(), (DLDataType{kDLFloat, 32, 1}));
  EXPECT_EQ(view.device(), (DLDevice{kDLCPU, 0}));
  EXPECT_EQ(view.data_ptr(), tensor.data_ptr());
  EXPECT(view.IsContiguous() && view.IsAligned(64));
  EXPECT_EQ(view.dim(), 3);
  EXPECT_EQ(view.sizes(), view.shape());
  EXPECT_EQ(tensor.numel(), 24);
  EXPECT_EQ(ffi::GetDataSize(*view.GetDLTensorPtr()), 96u);
  EXPECT_THROWS("IndexError: size: expected a dimension from -3 to 2, got 3", view.size(3));
  EXPECT_THROWS("IndexError: stride: expected a dimension from -3 to 2, got -4", view.stride(-4));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_queries, queries);

// Devices are compared and printed as in a kernel, without a namespace.
void devices_of_views() {
  auto check_device = [](ffi::TensorView x) {
    if (x.device() != DLDevice{kDLCUDA, 0}) {
      TVM_FFI_THROW(ValueError) << "expected a tensor on cuda:0, got " << x.device();
    }
  };
  ffi::Tensor on_cpu = NewTensor({3});
  EXPECT_THROWS("ValueError: expected a tensor on cuda:0, got cpu:0", check_device(on_cpu));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_devices_of_views, devices_of_views);

// 0-dim and empty tensors answer queries like any other.
void zero_dim_and_empty() {
  ffi::Tensor scalar = NewTensor({});
  EXPECT_EQ(scalar.ndim(), 0);
  EXPECT_EQ(scalar.numel(), 1);
  EXPECT(scalar.IsContiguous());
  EXPECT_EQ(scalar.strides().size(), 0u);
  EXPECT_THROWS("IndexError: size: expected a dimension from 0 to -1, got 0", scalar.size(0));
  ffi::Tensor empty = NewTensor({3, 0, 2});
  EXPECT_EQ(empty.numel(), 0);
  EXPECT(empty.IsContiguous());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_zero_dim_and_empty, zero_dim_and_empty);

// A byte offset is folded into the address, except where addresses are opaque.
void byte_offset() {
  float data[] = {0, 1, 2, 3};
  int64_t shape[] = {2};
  int64_t strides[] = {1};
  const uint64_t offset = 2 * sizeof(float);
  DLTensor tensor{data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, strides, offset};
  ffi::TensorView view(&tensor);
  EXPECT_EQ(*static_cast<float*>(view.data_ptr()), 2.0f);
  EXPECT_EQ(view.byte_offset(), 0u);
  tensor.device.device_type = kDLOpenCL;
  EXPECT_EQ(ffi::TensorView(&tensor).data_ptr(), static_cast<void*>(data));
  EXPECT_EQ(ffi::TensorView(&tensor).byte_offset(), 2 * sizeof(float));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_byte_offset, byte_offset);

// A borrowed tensor without strides gets them as a parameter; a hand-made view has stride(i).
void null_strides() {
  float data[6] = {};
  int64_t shape[] = {2, 3};
  DLTensor tensor{data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, nullptr, 0};
  ffi::Function f = ffi::Function::FromTyped(
      [](ffi::TensorView x) { EXPECT_EQ(x.strides(), ffi::ShapeView({3, 1})); });
  f(&tensor);
  ffi::TensorView view(&tensor);
  EXPECT(view.IsContiguous());
  EXPECT_EQ(view.stride(0), 3);
  EXPECT_EQ(view.stride(-1), 1);
  EXPECT_THROWS(
      "ValueError: strides: expected a tensor with strides, got NULL, which means row-major; "
      "use stride(i)",
      view.strides());
  int64_t long_shape[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3};
  tensor.shape = long_shape;
  tensor.ndim = 12;
  ffi::Function g = ffi::Function::FromTyped([](ffi::TensorView x) {
    EXPECT_EQ(x.strides(), ffi::ShapeView({6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 3, 1}));
  });
  g(&tensor);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_null_strides, null_strides);

// Contiguity ignores the strides of dimensions of extent 1 and of empty tensors.
void contiguity() {
  struct Case {
    int64_t shape[2], strides[2];
    bool contiguous;
  };
  for (Case c :
       {Case{{2, 3}, {3, 1}, true}, Case{{2, 3}, {1, 2}, false}, Case{{1, 3}, {99, 1}, true},
        Case{{3, 1}, {1, 99}, true}, Case{{2, 3}, {6, 2}, false}, Case{{0, 3}, {7, 7}, true},
        Case{{2, 2}, {0, 1}, false}, Case{{2, 0}, {5, 9}, true}}) {
    DLTensor tensor{nullptr, {kDLCPU, 0}, 2, kFloat32, c.shape, c.strides, 0};
    EXPECT_EQ(ffi::IsContiguous(tensor), c.contiguous) << ffi::ShapeView(c.shape, 2);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_contiguity, contiguity);

// An owned tensor converts to a view; a view never becomes an owner.
void owned_converts_to_view_only() {
  ffi::Tensor tensor = NewTensor({2});
  ffi::Function view = ffi::Function::FromTyped([](ffi::TensorView x) { return x.numel(); });
  ffi::Function own = ffi::Function::FromTyped([](ffi::Tensor x) { return x.numel(); });
  EXPECT_EQ(view(tensor).cast<int>(), 2);
  EXPECT_EQ(view(ffi::TensorView(tensor)).cast<int>(), 2);
  EXPECT_EQ(own(tensor).cast<int>(), 2);
  EXPECT_THROWS(
      "TypeError: function(Tensor) -> int: argument 0: expected Tensor, got Tensor (a view)",
      own(ffi::TensorView(tensor)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_owned_converts_to_view_only, owned_converts_to_view_only);

namespace {

// A managed tensor that counts its deleter calls.
template <typename Managed>
struct Counted {
  Managed managed{};
  float data[4] = {0, 1, 2, 3};
  int64_t shape[1] = {3};
  int deleted = 0;

  Counted() {
    managed.dl_tensor = {data, {kDLCPU, 0}, 1, kFloat32, shape, nullptr, sizeof(float)};
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Counted*>(self->manager_ctx)->deleted; };
  }
};

}  // namespace

// A DLPack tensor is shared, not copied; the producer's deleter runs once, after the last owner
// is gone.
void dlpack_round_trip() {
  Counted<DLManagedTensorVersioned> source;
  source.managed.version = {1, 0};
  source.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  DLManagedTensorVersioned* exported;
  {
    ffi::Tensor tensor = ffi::Tensor::FromDLPackVersioned(&source.managed);
    EXPECT_EQ(tensor.data_ptr(), static_cast<void*>(source.data + 1));  // shared, not copied
    exported = tensor.ToDLPackVersioned();
    EXPECT_EQ(tensor.use_count(), 2);                     // the export holds a reference
    EXPECT(source.managed.dl_tensor.strides == nullptr);  // allowed in DLPack 1.0
    EXPECT(exported->version.minor >= 2 && exported->dl_tensor.strides != nullptr);
    EXPECT_EQ(tensor.strides(), ffi::ShapeView({1}));
  }
  EXPECT_EQ(source.deleted, 0);
  EXPECT_EQ(exported->flags, uint64_t{DLPACK_FLAG_BITMASK_READ_ONLY});
  EXPECT_EQ(exported->dl_tensor.data, static_cast<void*>(source.data + 1));
  exported->deleter(exported);
  EXPECT_EQ(source.deleted, 1);

  Counted<DLManagedTensor> old;
  ffi::Tensor::FromDLPack(&old.managed);
  EXPECT_EQ(old.deleted, 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dlpack_round_trip, dlpack_round_trip);

// An unmet requirement is a ValueError, and the tensor stays with the caller.
void dlpack_requirements() {
  Counted<DLManagedTensorVersioned> source;
  source.managed.version = {2, 0};
  EXPECT_THROWS("ValueError: TVMFFITensorFromDLPackVersioned: from: expected DLPack 1.x, got 2.0",
                ffi::Tensor::FromDLPackVersioned(&source.managed));
  source.managed.version = {1, 0};
  int64_t strides[] = {2};
  source.managed.dl_tensor.strides = strides;
  source.managed.dl_tensor.shape[0] = 2;
  source.managed.dl_tensor.byte_offset = 0;
  EXPECT_THROWS(
      "ValueError: TVMFFITensorFromDLPackVersioned: from: expected a contiguous tensor, got "
      "shape (2,) and strides (2,)",
      ffi::Tensor::FromDLPackVersioned(&source.managed, 0, true));
  source.managed.dl_tensor.byte_offset = 1;
  EXPECT_THROWS_WITH(
      "ValueError: TVMFFITensorFromDLPackVersioned: from: expected data aligned to 2 "
      "bytes, got address 0x",
      ffi::Tensor::FromDLPackVersioned(&source.managed, 2));
  EXPECT_EQ(source.deleted, 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dlpack_requirements, dlpack_requirements);

// A NULL tensor is an error too.
void dlpack_of_null() {
  EXPECT_THROWS("ValueError: TVMFFITensorFromDLPack: from: expected a managed tensor, got NULL",
                ffi::Tensor::FromDLPack(nullptr));
  EXPECT_THROWS(
      "ValueError: TVMFFITensorFromDLPackVersioned: from: expected a managed tensor, got NULL",
      ffi::Tensor::FromDLPackVersioned(nullptr));
  EXPECT_THROWS("TypeError: TVMFFITensorToDLPack: from: expected a Tensor, got NULL",
                ffi::Tensor().ToDLPack());
  EXPECT_THROWS("ValueError: TensorView: expected a tensor, got a null handle",
                const ffi::Tensor none;
                ffi::TensorView{none});
  EXPECT_THROWS("ValueError: as_strided: expected a tensor, got a null handle",
                ffi::Tensor().as_strided({1}, {1}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dlpack_of_null, dlpack_of_null);

// A producer may omit the deleter, and also strides and shape if they carry no information.
void dlpack_with_as_little_as_possible() {
  float data[1] = {3};
  DLManagedTensorVersioned versioned{};
  versioned.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION + 7};
  versioned.dl_tensor = {data, {kDLCPU, 0}, 0, kFloat32, nullptr, nullptr, 0};
  DLManagedTensor old{};
  old.dl_tensor = versioned.dl_tensor;
  for (const ffi::Tensor& tensor : {ffi::Tensor::FromDLPackVersioned(&versioned, 4, true),
                                    ffi::Tensor::FromDLPack(&old, 4, true)}) {
    EXPECT_EQ(tensor.numel(), 1);
    EXPECT_EQ(tensor.shape().size(), 0u);
    EXPECT_EQ(tensor.strides().size(), 0u);
    EXPECT(tensor.IsContiguous());
    EXPECT_EQ(tensor.data_ptr(), static_cast<void*>(data));
    ffi::Tensor view = tensor.as_strided({}, {});
    EXPECT_EQ(view.numel(), 1);
    DLManagedTensor* exported = view.ToDLPack();
    EXPECT_EQ(exported->dl_tensor.ndim, 0);
    exported->deleter(exported);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dlpack_with_as_little_as_possible,
                              dlpack_with_as_little_as_possible);

// An empty tensor may have no data, and its address counts as aligned.
void dlpack_of_an_empty_tensor() {
  int64_t shape[] = {2, 0, 3};
  DLManagedTensorVersioned source{};
  source.version = {1, 0};
  source.dl_tensor = {nullptr, {kDLCPU, 0}, 3, kFloat32, shape, nullptr, 0};
  ffi::Tensor tensor = ffi::Tensor::FromDLPackVersioned(&source, 64, true);
  EXPECT_EQ(tensor.numel(), 0);
  EXPECT(tensor.IsContiguous());
  EXPECT_EQ(tensor.strides(), ffi::ShapeView({0, 3, 1}));
  EXPECT_EQ(ffi::GetDataSize(*tensor.GetDLTensorPtr()), 0u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dlpack_of_an_empty_tensor, dlpack_of_an_empty_tensor);

// Random layouts keep their metadata and data address through DLPack of both versions.
void dlpack_of_random_layouts() {
  std::mt19937 random(3);
  auto below = [&](uint32_t n) { return static_cast<int64_t>(random() % n); };
  alignas(64) static char data[256];
  for (int round = 0; round < 500; ++round) {
    int64_t shape[5], strides[5];
    const auto ndim = static_cast<int32_t>(below(6));
    for (int32_t i = 0; i < ndim; ++i) shape[i] = below(4), strides[i] = below(9) - 4;
    const auto offset = static_cast<uint64_t>(below(64));
    const DLDataType dtype{static_cast<uint8_t>(below(kDLFloat4_e2m1fn + 1)), 8, 1};
    DLManagedTensorVersioned source{};
    source.version = {1, 1};
    source.dl_tensor = {data, {kDLCPU, 0}, ndim, dtype, shape, strides, offset};
    ffi::Tensor tensor = ffi::Tensor::FromDLPackVersioned(&source);
    ffi::Tensor copy = ffi::Tensor::FromDLPack(tensor.ToDLPack());
    ffi::Tensor again = ffi::Tensor::FromDLPackVersioned(copy.ToDLPackVersioned());
    for (const ffi::Tensor& each : {tensor, copy, again}) {
      EXPECT_EQ(each.shape(), ffi::ShapeView(shape, static_cast<size_t>(ndim)));
      EXPECT_EQ(each.strides(), ffi::ShapeView(strides, static_cast<size_t>(ndim)));
      EXPECT_EQ(each.dtype(), dtype);
      EXPECT_EQ(each.data_ptr(), static_cast<void*>(data + offset));
      EXPECT_EQ(each.byte_offset(), 0u);
    }
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dlpack_of_random_layouts, dlpack_of_random_layouts);

// Without a framework, CPU tensors are allocated and impossible ones rejected.
void env_alloc_without_a_framework() {
  ffi::Tensor tensor = NewTensor({5});
  EXPECT_EQ(tensor.use_count(), 1);
  EXPECT(tensor.IsAligned(64));
  EXPECT_THROWS(
      "ValueError: TVMFFIEnvTensorAlloc: shape: expected extents that are not negative, got (-1,)",
      NewTensor({-1}));
  EXPECT_THROWS(
      "MemoryError: TVMFFIEnvTensorAlloc: expected a size that fits in memory, got "
      "shape (9223372036854775807, 9223372036854775807) of float32",
      NewTensor({INT64_MAX, INT64_MAX}));
  EXPECT_THROWS_WITH(
      "RuntimeError: TVMFFIEnvTensorAlloc: prototype: expected a device that an allocator "
      "is set for, got cuda:0;",
      ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {1}, kFloat32, {kDLCUDA, 0}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_env_alloc_without_a_framework, env_alloc_without_a_framework);

// An unsafe view keeps its source alive and has its own shape and strides.
void unsafe_view() {
  ffi::Tensor source = NewTensor({4});
  int64_t shape[] = {2};
  int64_t strides[] = {2};
  DLTensor prototype = *source.GetDLTensorPtr();
  prototype.shape = shape;
  prototype.strides = strides;
  TVMFFIObjectHandle handle = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFITensorCreateUnsafeView(ffi::ObjectUnsafe::Borrow(source), &prototype, &handle));
  ffi::Tensor view(ffi::ObjectUnsafe::PtrFromOwned<ffi::TensorObj>(handle));
  shape[0] = 99;
  EXPECT_EQ(view.shape(), ffi::ShapeView({2}));
  EXPECT_EQ(view.strides(), ffi::ShapeView({2}));
  EXPECT_EQ(source.use_count(), 2);
  source = ffi::Tensor();
  static_cast<float*>(view.data_ptr())[2] = 1;
  EXPECT(TVMFFITensorCreateUnsafeView(nullptr, &prototype, &handle) != 0);
  EXPECT_THROWS("ValueError: TVMFFITensorCreateUnsafeView: source: expected an object, got NULL",
                ffi::detail::ThrowRaised(-1));
  EXPECT(TVMFFITensorCreateUnsafeView(ffi::ObjectUnsafe::Borrow(view), nullptr, &handle) != 0);
  EXPECT_THROWS("ValueError: TVMFFITensorCreateUnsafeView: prototype: expected a tensor, got NULL",
                ffi::detail::ThrowRaised(-1));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_unsafe_view, unsafe_view);

// The size in bytes of owned and borrowed tensors; a null handle has none.
void data_sizes() {
  const ffi::Tensor tensor = NewTensor({3, 5});
  const ffi::TensorView view = tensor;
  EXPECT_EQ(ffi::GetDataSize(tensor), 60u);
  EXPECT_EQ(ffi::GetDataSize(view), 60u);
  EXPECT_EQ(ffi::GetDataSize(view.as_strided({2}, {7})), 8u);
  EXPECT_EQ(ffi::GetDataSize(NewTensor({0, 5})), 0u);
  EXPECT_THROWS("ValueError: GetDataSize: expected a tensor, got a null handle",
                ffi::GetDataSize(ffi::Tensor()));
  EXPECT(ffi::IsDirectAddressDevice({kDLCUDAManaged, 1}));
  EXPECT(!ffi::IsDirectAddressDevice({kDLOpenCL, 0}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_data_sizes, data_sizes);

// A borrowed tensor has a non-negative number of dimensions.
void negative_dimensions() {
  int64_t extent = 1;
  DLTensor tensor{nullptr, {kDLCPU, 0}, 0, {kDLFloat, 32, 1}, &extent, nullptr, 0};
  const auto dim =
      ffi::Function::FromTyped([](ffi::TensorView view) { return int64_t{view.dim()}; });
  for (const int32_t ndim : {-1, std::numeric_limits<int32_t>::min()}) {
    tensor.ndim = ndim;
    const ffi::AnyView view = &tensor;
    const std::string what = "a view with ndim " + std::to_string(ndim);
    EXPECT_THROWS("TypeError: function(Tensor) -> int: argument 0: expected Tensor, got " + what,
                  dim(view));
    EXPECT(!view.try_cast<ffi::TensorView>().has_value());
  }
  tensor.ndim = 0;
  EXPECT_EQ(dim(ffi::AnyView(&tensor)).cast<int>(), 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_negative_dimensions, negative_dimensions);
