// SPDX-License-Identifier: Apache-2.0
// Cases: tensors, owned and lent, and those that allocators make.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "case.h"

namespace ffi = tvm::ffi;

namespace {

using ffi::Any;
using ffi::Tensor;
using ffi::TensorView;

int64_t freed = 0;  // how often this library freed a tensor

// What a tensor that some producer exports needs as long as it lives.
template <typename Managed>
struct Exported {
  Managed managed{};
  std::vector<unsigned char> bytes;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

template <typename Managed>
Managed* Export(DLDataType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides,
                size_t size, uint64_t byte_offset) {
  auto* exported = new Exported<Managed>();
  // 256 bytes of room, so that the tensor can begin at an aligned address.
  exported->bytes.resize(size + byte_offset + 256);
  void* data = exported->bytes.data();
  size_t room = exported->bytes.size();
  std::align(64, size + byte_offset, data, room);
  for (size_t i = 0; i < size; ++i) {
    static_cast<unsigned char*>(data)[byte_offset + i] = static_cast<unsigned char>(i * 7 + 1);
  }
  exported->shape = std::move(shape);
  exported->strides = std::move(strides);
  DLTensor& tensor = exported->managed.dl_tensor;
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int32_t>(exported->shape.size());
  tensor.dtype = dtype;
  tensor.shape = exported->shape.data();
  tensor.strides = exported->strides.empty() ? nullptr : exported->strides.data();
  tensor.byte_offset = byte_offset;
  exported->managed.manager_ctx = exported;
  exported->managed.deleter = [](Managed* self) {
    ++freed;
    delete static_cast<Exported<Managed>*>(self->manager_ctx);
  };
  return &exported->managed;
}

DLManagedTensorVersioned* ExportVersioned(DLDataType dtype, std::vector<int64_t> shape,
                                          std::vector<int64_t> strides = {}, size_t size = 4096,
                                          uint64_t byte_offset = 0) {
  auto* managed = Export<DLManagedTensorVersioned>(dtype, std::move(shape), std::move(strides),
                                                   size, byte_offset);
  managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  return managed;
}

bool HasShape(const Tensor& tensor, const std::vector<int64_t>& want) {
  return tensor.ndim() == static_cast<int32_t>(want.size()) &&
         std::equal(want.begin(), want.end(), tensor.shape().begin());
}

unsigned char ByteAt(const Tensor& tensor, size_t offset) {
  return static_cast<const unsigned char*>(tensor.data_ptr())[tensor.byte_offset() + offset];
}

// Every code that DLPack 1.3 has, with the widths that it has for it, and lanes.
struct DtypesOfCode {
  uint8_t code;
  std::vector<uint8_t> bits;
};
std::vector<DLDataType> AllDtypes() {
  const DtypesOfCode codes[] = {{kDLInt, {8, 16, 32, 64}},
                                {kDLUInt, {8, 16, 32, 64}},
                                {kDLFloat, {16, 32, 64}},
                                {kDLBfloat, {16}},
                                {kDLBool, {8}},
                                {kDLComplex, {64, 128}},
                                {kDLFloat8_e3m4, {8}},
                                {kDLFloat8_e4m3, {8}},
                                {kDLFloat8_e4m3b11fnuz, {8}},
                                {kDLFloat8_e4m3fn, {8}},
                                {kDLFloat8_e4m3fnuz, {8}},
                                {kDLFloat8_e5m2, {8}},
                                {kDLFloat8_e5m2fnuz, {8}},
                                {kDLFloat8_e8m0fnu, {8}},
                                {kDLFloat6_e2m3fn, {6}},
                                {kDLFloat6_e3m2fn, {6}},
                                {kDLFloat4_e2m1fn, {4}},
                                {kDLOpaqueHandle, {64}}};
  std::vector<DLDataType> all;
  for (const DtypesOfCode& each : codes) {
    for (uint8_t bits : each.bits) {
      for (uint16_t lanes : {1, 2, 4}) all.push_back({each.code, bits, lanes});
    }
  }
  return all;
}
int64_t DtypeCount() { return static_cast<int64_t>(AllDtypes().size()); }

Tensor MakeDtypes(int64_t i) {
  return Tensor::FromDLPackVersioned(ExportVersioned(AllDtypes()[static_cast<size_t>(i)], {3, 5}));
}
void CheckDtypes(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFITensor);
  const auto tensor = value.cast<Tensor>();
  EXPECT(tensor.dtype() == AllDtypes()[static_cast<size_t>(i)]);
  EXPECT(HasShape(tensor, {3, 5}));
  EXPECT(tensor.device().device_type == kDLCPU);
  EXPECT(tensor.IsContiguous());
  for (size_t k = 0; k < 4096; k += 97) EXPECT(ByteAt(tensor, k) == (k * 7 + 1) % 256);
}

constexpr DLDataType kF32 = {kDLFloat, 32, 1};

// The old form of DLPack.
Tensor MakeOldDlpack(int64_t) {
  return Tensor::FromDLPack(Export<DLManagedTensor>(kF32, {2, 3}, {}, 24, 0));
}
void CheckOldDlpack(int64_t, const Any& value) {
  const auto tensor = value.cast<Tensor>();
  EXPECT(HasShape(tensor, {2, 3}));
  DLManagedTensor* out = tensor.ToDLPack();
  EXPECT(out->dl_tensor.data == tensor.data_ptr());
  EXPECT(out->dl_tensor.ndim == 2);
  out->deleter(out);
}

Tensor MakeNewDlpack(int64_t i) {
  DLManagedTensorVersioned* from = ExportVersioned(kF32, {2, 3});
  if (i == 1) from->flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  return Tensor::FromDLPackVersioned(from);
}
void CheckNewDlpack(int64_t, const Any& value) {
  const auto tensor = value.cast<Tensor>();
  DLManagedTensorVersioned* out = tensor.ToDLPackVersioned();
  EXPECT(out->version.major == DLPACK_MAJOR_VERSION);
  EXPECT(out->dl_tensor.data == tensor.data_ptr());
  EXPECT(out->dl_tensor.shape[1] == 3);
  out->deleter(out);
}

// Views: contiguous by strides, transposed, every second column, a broadcast row.
const std::vector<int64_t> kStrides[] = {{4, 1}, {1, 3}, {8, 2}, {0, 1}};
Tensor MakeStrided(int64_t i) {
  return Tensor::FromDLPackVersioned(ExportVersioned(kF32, {3, 4}, kStrides[i]));
}
void CheckStrided(int64_t i, const Any& value) {
  const auto tensor = value.cast<Tensor>();
  EXPECT(tensor.stride(0) == kStrides[i][0]);
  EXPECT(tensor.stride(1) == kStrides[i][1]);
  EXPECT(tensor.strides().size() == 2);
  EXPECT(tensor.IsContiguous() == (i == 0));
}

Tensor MakeZeroDim(int64_t) { return Tensor::FromDLPackVersioned(ExportVersioned(kF32, {})); }
void CheckZeroDim(int64_t, const Any& value) {
  const auto tensor = value.cast<Tensor>();
  EXPECT(tensor.ndim() == 0);
  EXPECT(tensor.numel() == 1);
  EXPECT(tensor.IsContiguous());
  EXPECT(ByteAt(tensor, 3) == 22);
}

const std::vector<int64_t> kEmptyShapes[] = {{0}, {3, 0}, {0, 3, 5}};
Tensor MakeEmpty(int64_t i) {
  return Tensor::FromDLPackVersioned(ExportVersioned(kF32, kEmptyShapes[i], {}, 0));
}
void CheckEmpty(int64_t i, const Any& value) {
  const auto tensor = value.cast<Tensor>();
  EXPECT(HasShape(tensor, kEmptyShapes[i]));
  EXPECT(tensor.numel() == 0);
  EXPECT(tensor.IsContiguous());
}

Tensor MakeOffset(int64_t) {
  return Tensor::FromDLPackVersioned(ExportVersioned(kF32, {4}, {1}, 16, 256));
}
void CheckOffset(int64_t, const Any& value) {
  const auto tensor = value.cast<Tensor>();
  for (size_t k = 0; k < 16; ++k) EXPECT(ByteAt(tensor, k) == (k * 7 + 1) % 256);
}

// Lent tensors: the checker gets a TensorView of what the maker owns.
Tensor MakeLent(int64_t i) { return MakeDtypes(i * 3); }
void CheckLent(int64_t i, const Any& value) {
  const auto view = value.cast<TensorView>();
  EXPECT(view.dtype() == AllDtypes()[static_cast<size_t>(i * 3)]);
  EXPECT(view.size(0) == 3 && view.size(-1) == 5);
  EXPECT(view.stride(0) == 5);
  EXPECT(static_cast<unsigned char*>(view.data_ptr())[2] == 15);
}

// An allocator of the environment, as a framework sets it.
int EnvAllocate(DLTensor* prototype, DLManagedTensorVersioned** out, void*,
                void (*)(void*, const char*, const char*)) {
  std::vector<int64_t> shape(prototype->shape, prototype->shape + prototype->ndim);
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  *out = ExportVersioned(prototype->dtype, std::move(shape), std::move(strides));
  return 0;
}
Tensor MakeFromEnv(int64_t) {
  DLPackManagedTensorAllocator before = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvSetDLPackManagedTensorAllocator(EnvAllocate, 0, &before));
  Tensor tensor =
      Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, ffi::Shape({2, 3}), kF32, DLDevice{kDLCPU, 0});
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvSetDLPackManagedTensorAllocator(before, 0, nullptr));
  return tensor;
}
void CheckFromEnv(int64_t, const Any& value) {
  const auto tensor = value.cast<Tensor>();
  EXPECT(HasShape(tensor, {2, 3}));
  EXPECT(tensor.IsContiguous());
  EXPECT(ByteAt(tensor, 5) == 36);
}

// An allocator of the library's own; in a strided tensor of 2 columns, 4 apart, it fills the span.
struct Filling {
  void AllocData(DLTensor* tensor, unsigned char first) {
    constexpr size_t kBytes = 4 * 8;
    auto* bytes = static_cast<unsigned char*>(std::malloc(kBytes));
    for (size_t k = 0; k < kBytes; ++k) bytes[k] = static_cast<unsigned char>(first + k);
    tensor->data = bytes;
  }
  void FreeData(DLTensor* tensor) {
    std::free(tensor->data);
    ++freed;
  }
};
Tensor MakeFromOwnAlloc(int64_t i) {
  constexpr DLDevice kCPU{kDLCPU, 0};
  const auto first = static_cast<unsigned char>(i);
  if (i == 0) return Tensor::FromNDAlloc(Filling(), ffi::Shape({2, 3}), kF32, kCPU, first);
  return Tensor::FromNDAllocStrided(Filling(), ffi::Shape({3, 2}), ffi::Shape({1, 4}), kF32, kCPU,
                                    first);
}
void CheckFromOwnAlloc(int64_t i, const Any& value) {
  const auto tensor = value.cast<Tensor>();
  EXPECT(i == 0 ? HasShape(tensor, {2, 3}) : HasShape(tensor, {3, 2}));
  EXPECT(tensor.stride(0) == (i == 0 ? 3 : 1) && tensor.stride(1) == (i == 0 ? 1 : 4));
  EXPECT(static_cast<unsigned char*>(tensor.data_ptr())[5] == i + 5);
}

int64_t FreedCount() { return freed; }
// x is (n,) float32, y too: y = 2 x.
void Twice(TensorView x, TensorView y) {
  EXPECT(x.dtype() == kF32 && y.dtype() == kF32);
  for (int64_t i = 0; i < x.numel(); ++i) {
    static_cast<float*>(y.data_ptr())[i * y.stride(0)] =
        2 * static_cast<float*>(x.data_ptr())[i * x.stride(0)];
  }
}
Tensor KeepTensor(Tensor x) { return x; }
ffi::String Describe(TensorView x) {
  std::string text = ffi::DLDataTypeToString(x.dtype());
  for (int64_t i = 0; i < x.ndim(); ++i) {
    text += " " + Text(x.size(i)) + "/" + Text(x.stride(i));
  }
  return text;
}

}  // namespace

INTEROP_CASE(Dtypes, DtypeCount(), "tensor of every DLPack dtype, with 1, 2 and 4 lanes");
INTEROP_CASE(OldDlpack, 1, "tensor from and to DLPack before 1.0");
INTEROP_CASE(NewDlpack, 2, "tensor from and to DLPack 1.x");
INTEROP_CASE(Strided, 4, "tensor with strides: transposed, with gaps, broadcast");
INTEROP_CASE(ZeroDim, 1, "tensor without dimensions");
INTEROP_CASE(Empty, 3, "tensor without elements");
INTEROP_CASE(Offset, 1, "tensor with a byte offset");
INTEROP_CASE(Lent, 8, "tensor taken as a view");
INTEROP_CASE(FromEnv, 1, "tensor from the environment's allocator");
INTEROP_CASE(FromOwnAlloc, 2, "tensor from a library's own allocator, with strides too");

TVM_FFI_DLL_EXPORT_TYPED_FUNC(freed_count, FreedCount);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, Twice);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(keep_tensor, KeepTensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe, Describe);
