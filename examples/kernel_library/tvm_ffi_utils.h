// SPDX-License-Identifier: Apache-2.0
// Helpers shared by the kernels of a library. Copy this file next to them; it
// works with CPU and CUDA sources. It is a single file, for easy copying.
//
// Its parts, by the names that the Kernel Library Guide uses:
//   dtype_constants  DLPack dtypes, and whether two dtypes are equal
//   check_macros     CHECK_*: reject an argument and name it
//   get_stream       the caller's current stream
//   alloc_tensor     an output from the caller's framework
//   narrow_floats    convert to and from 16-bit and 8-bit floats without CUDA
//   storage_types    float16, bfloat16 and float8 types; Compute<T>
//   dtype_dispatch   lists of types; call a kernel with the C++ type of a dtype
//   strided_layout   a tensor's shape and strides, adjacent dimensions merged
//   for_each_run     walk a strided tensor run by run on the CPU
//   map_elements     apply a function to contiguous elements on the CPU
//   vector_access    vectors of elements, and whether an address is aligned
//   blocks_for       the number of blocks for a grid-stride loop
//   rows             a tensor as rows along its last dimension
//   row_blocks       CUDA: thread blocks that load rows as vectors
//   block_reduce     CUDA: combine one value from each thread of a row
#ifndef TVM_FFI_UTILS_H_
#define TVM_FFI_UTILS_H_

// [includes.begin]
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

namespace ffi = tvm::ffi;
// [includes.end]

// Internal linkage: each library has its own copy of everything below, whatever
// its compiler flags are.
namespace {

// [dtype_constants.begin]
constexpr DLDataType dl_float32{kDLFloat, 32, 1};
constexpr DLDataType dl_float64{kDLFloat, 64, 1};
constexpr DLDataType dl_float16{kDLFloat, 16, 1};
constexpr DLDataType dl_bfloat16{kDLBfloat, 16, 1};
constexpr DLDataType dl_float8_e4m3fn{kDLFloat8_e4m3fn, 8, 1};
constexpr DLDataType dl_float8_e5m2{kDLFloat8_e5m2, 8, 1};
constexpr DLDataType dl_int32{kDLInt, 32, 1};
constexpr DLDataType dl_int64{kDLInt, 64, 1};
constexpr DLDataType dl_bool{kDLBool, 8, 1};

constexpr bool same_dtype(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
// [dtype_constants.end]

constexpr bool same_device(DLDevice a, DLDevice b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

inline bool same_shape(const ffi::TensorView& a, const ffi::TensorView& b) {
  if (a.ndim() != b.ndim()) return false;
  for (int32_t i = 0; i < a.ndim(); ++i) {
    if (a.size(i) != b.size(i)) return false;
  }
  return true;
}

// Text for error messages: "7", "(2, 3)", "cuda:0".
inline std::string text_of(int64_t number) {
  char digits[24];
  std::snprintf(digits, sizeof(digits), "%lld", static_cast<long long>(number));
  return digits;
}

inline std::string text_of(ffi::ShapeView numbers) {
  std::string text = "(";
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i != 0) text += ", ";
    text += text_of(numbers[i]);
  }
  return text + (numbers.size() == 1 ? ",)" : ")");
}

inline std::string text_of(DLDevice device) {
  std::string kind = "device type " + text_of(int64_t{device.device_type});
  if (device.device_type == kDLCPU) kind = "cpu";
  if (device.device_type == kDLCUDA) kind = "cuda";
  return kind + ":" + text_of(int64_t{device.device_id});
}

// The published runtime cannot name a complex dtype, and throwing from within
// an error message would terminate the process.
inline std::string text_of(DLDataType dtype) {
  if (dtype.code != kDLComplex) return ffi::DLDataTypeToString(dtype);
  const std::string lanes =
      dtype.lanes == 1 ? "" : "x" + text_of(int64_t{dtype.lanes});
  return "complex" + text_of(int64_t{dtype.bits}) + lanes;
}

// Address of the first element. The byte offset is 0 if the runtime has already
// added it.
template <typename T>
T* data_of(const ffi::TensorView& x) {
  return reinterpret_cast<T*>(static_cast<char*>(x.data_ptr()) +
                              x.byte_offset());
}

// [check_macros.begin]
// Each check names the kernel, the argument, what was expected and what was
// passed. `__builtin_expect`: otherwise, after many checks, g++ treats the rest
// of the function as cold and does not vectorize its loops.
#define CHECK_OR_THROW(ok, Kind, x, expected, got)                       \
  do {                                                                   \
    if (__builtin_expect(!(ok), 0)) {                                    \
      TVM_FFI_THROW(Kind) << __func__ << ": " #x " must be " << expected \
                          << ", got " << got;                            \
    }                                                                    \
  } while (0)

#define CHECK_CPU(x)                                                \
  CHECK_OR_THROW((x).device().device_type == kDLCPU, ValueError, x, \
                 "on the CPU", text_of((x).device()))

#define CHECK_CUDA(x)                                                \
  CHECK_OR_THROW((x).device().device_type == kDLCUDA, ValueError, x, \
                 "on a CUDA device", text_of((x).device()))

#define CHECK_DIM(n, x)                                                   \
  CHECK_OR_THROW((x).ndim() == (n), ValueError, x, (n) << "-dimensional", \
                 (x).ndim())

#define CHECK_CONTIGUOUS(x)                                           \
  CHECK_OR_THROW((x).IsContiguous(), ValueError, x, "contiguous",     \
                 "shape " << text_of((x).shape()) << " with strides " \
                          << text_of((x).strides()))

// The elements of each row, along the last dimension, are adjacent.
#define CHECK_DENSE_ROWS(x)                                           \
  CHECK_OR_THROW(has_dense_rows(x), ValueError, x,                    \
                 "dense in its last dimension",                       \
                 "shape " << text_of((x).shape()) << " with strides " \
                          << text_of((x).strides()))

#define CHECK_DTYPE(x, expected)                                  \
  CHECK_OR_THROW(same_dtype((x).dtype(), expected), TypeError, x, \
                 text_of(expected), text_of((x).dtype()))

// The dtype is one of a list of types: CHECK_DTYPE_IN(x, FloatingTypes).
#define CHECK_DTYPE_IN(x, ...)                                      \
  CHECK_OR_THROW(is_one_of<__VA_ARGS__>((x).dtype()), TypeError, x, \
                 names_of(__VA_ARGS__{}), text_of((x).dtype()))

#define CHECK_SAME_DTYPE(y, x)                                       \
  CHECK_OR_THROW(same_dtype((y).dtype(), (x).dtype()), TypeError, y, \
                 text_of((x).dtype()) << " like " #x, text_of((y).dtype()))

#define CHECK_SAME_DEVICE(y, x)                                          \
  CHECK_OR_THROW(same_device((y).device(), (x).device()), ValueError, y, \
                 "on " << text_of((x).device()) << " like " #x,          \
                 text_of((y).device()))

#define CHECK_SAME_SHAPE(y, x)                                       \
  CHECK_OR_THROW(same_shape(y, x), ValueError, y,                    \
                 "of shape " << text_of((x).shape()) << " like " #x, \
                 text_of((y).shape()))

// A misaligned access is an error that the CUDA context does not recover from.
#define CHECK_ALIGNED(x)                                             \
  CHECK_OR_THROW(bytes_off(x) == 0, ValueError, x,                   \
                 "aligned to its " << item_size(x) << " byte items", \
                 "an address " << bytes_off(x) << " too far")

// Writing y must not change elements of x that are yet to be read. Passing the
// same tensor is fine.
#define CHECK_NO_PARTIAL_OVERLAP(y, x)                         \
  CHECK_OR_THROW(!overlaps_in_part(y, x), ValueError, y,       \
                 "the same tensor as " #x " or apart from it", \
                 "overlapping ranges")

// Also rejects the same tensor, for kernels that cannot work in place.
#define CHECK_APART(y, x)                                         \
  CHECK_OR_THROW(!overlap(y, x), ValueError, y, "apart from " #x, \
                 "overlapping ranges")
// [check_macros.end]

// Size of one element in bytes, rounded up to whole bytes.
inline int64_t item_size(const ffi::TensorView& x) {
  return (x.dtype().bits * x.dtype().lanes + 7) / 8;
}

// Number of bytes from the preceding alignment boundary to the first element.
inline int64_t bytes_off(const ffi::TensorView& x) {
  const auto address = reinterpret_cast<uintptr_t>(data_of<char>(x));
  return static_cast<int64_t>(address % static_cast<uintptr_t>(item_size(x)));
}

// The bytes that a tensor spans, [first, last); strides may be negative.
struct ByteRange {
  uintptr_t first;
  uintptr_t last;
};

inline ByteRange byte_range(const ffi::TensorView& x) {
  const int64_t item = item_size(x);
  const auto data = reinterpret_cast<uintptr_t>(data_of<char>(x));
  if (x.IsContiguous())
    return {data, data + static_cast<uintptr_t>(x.numel() * item)};
  int64_t low = 0;
  int64_t high = 0;
  for (int32_t i = 0; i < x.ndim(); ++i) {
    const int64_t reach = (x.size(i) - 1) * x.stride(i);
    (reach < 0 ? low : high) += reach;
  }
  return {data + static_cast<uintptr_t>(low * item),
          data + static_cast<uintptr_t>((high + 1) * item)};
}

inline bool overlap(const ffi::TensorView& a, const ffi::TensorView& b) {
  if (a.numel() == 0 || b.numel() == 0) return false;
  const ByteRange of_a = byte_range(a);
  const ByteRange of_b = byte_range(b);
  return of_a.first < of_b.last && of_b.first < of_a.last;
}

inline bool overlaps_in_part(const ffi::TensorView& y,
                             const ffi::TensorView& x) {
  if (data_of<char>(x) == data_of<char>(y) &&
      same_dtype(x.dtype(), y.dtype()) && same_shape(x, y) &&
      x.IsContiguous() && y.IsContiguous())
    return false;
  return overlap(y, x);
}

#ifdef __CUDACC__
// [get_stream.begin]
// The current stream of the caller's framework, for the device that the tensor
// is on.
inline cudaStream_t get_stream(const ffi::TensorView& x) {
  return static_cast<cudaStream_t>(
      TVMFFIEnvGetStream(x.device().device_type, x.device().device_id));
}
// [get_stream.end]
#endif

// [alloc_tensor.begin]
// A new tensor from the allocator of the caller's framework.
inline ffi::Tensor alloc_tensor(ffi::ShapeView shape, DLDataType dtype,
                                DLDevice device) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, shape, dtype, device);
}
// [alloc_tensor.end]

#ifndef __CUDACC__
// [narrow_floats.begin]
inline uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Branch-free, so that a loop of them vectorizes. Operands are below 2^31: they
// are compared as signed integers, which takes one instruction.
inline uint32_t smaller(uint32_t a, uint32_t b) {
  return static_cast<int32_t>(a) < static_cast<int32_t>(b) ? a : b;
}

inline uint32_t larger(uint32_t a, uint32_t b) {
  return static_cast<int32_t>(a) < static_cast<int32_t>(b) ? b : a;
}

// All bits set if a < b, otherwise none.
inline uint32_t mask_below(uint32_t a, uint32_t b) {
  const bool less = static_cast<int32_t>(a) < static_cast<int32_t>(b);
  return 0u - static_cast<uint32_t>(less);
}

// Rounds the magnitude of a float, given as bits, to kFraction bits of fraction
// and an exponent biased by kBias: to nearest, ties to even. The caller must
// handle magnitudes too large for the type.
template <uint32_t kFraction, uint32_t kBias>
uint32_t narrow(uint32_t magnitude) {
  constexpr uint32_t kDropped = 23 - kFraction;
  constexpr uint32_t kSmallestNormal = (128u - kBias) << 23;
  const uint32_t own = magnitude & 0x7f800000u;
  const uint32_t exponent = larger(own, kSmallestNormal);
  // Adding this power of two aligns the last bit of the sum with that of the
  // result, which rounds it there, even if the result is subnormal.
  const uint32_t power = exponent + (kDropped << 23);
  const uint32_t units = bits_of(float_of(magnitude) + float_of(power)) - power;
  return ((exponent - kSmallestNormal) >> kDropped) + units;
}

// The inverse, which is exact: from a magnitude's bits to the bits of a float.
template <uint32_t kFraction, uint32_t kBias>
uint32_t widen(uint32_t magnitude) {
  const uint32_t normal =
      (magnitude << (23 - kFraction)) + ((127u - kBias) << 23);
  const float last_bit = float_of((128u - kBias - kFraction) << 23);
  const uint32_t subnormal =
      bits_of(static_cast<float>(static_cast<int32_t>(magnitude)) * last_bit);
  const uint32_t mask = mask_below(magnitude, 1u << kFraction);
  return (subnormal & mask) | (normal & ~mask);
}
// [narrow_floats.end]
#endif

// [storage_types.begin]
#ifdef __CUDACC__
using float16 = __half;
using bfloat16 = __nv_bfloat16;
using float8_e4m3fn = __nv_fp8_e4m3;
using float8_e5m2 = __nv_fp8_e5m2;
#else
// Storage types for CPU code: conversion to float is exact, conversion back
// rounds to nearest even.
struct bfloat16 {
  uint16_t bits;

  bfloat16() = default;
  explicit bfloat16(float value) {
    const uint32_t wide = bits_of(value);
    const uint32_t rounded = wide + 0x7fffu + ((wide >> 16) & 1u);
    const uint32_t quiet = wide | 0x00400000u;  // NaN stays NaN.
    const uint32_t is_nan = mask_below(0x7f800000u, wide & 0x7fffffffu);
    bits =
        static_cast<uint16_t>(((quiet & is_nan) | (rounded & ~is_nan)) >> 16);
  }
  explicit operator float() const {
    return float_of(static_cast<uint32_t>(bits) << 16);
  }
};

struct float16 {
  uint16_t bits;

  float16() = default;
  explicit float16(float value) {
    const uint32_t wide = bits_of(value);
    const uint32_t magnitude = wide & 0x7fffffffu;
    // 65536 and above become infinity; NaN has one more bit set.
    const uint32_t half = narrow<10, 15>(smaller(magnitude, 0x47800000u)) |
                          (mask_below(0x7f800000u, magnitude) & 0x0200u);
    bits = static_cast<uint16_t>(((wide & 0x80000000u) | (half << 16)) >> 16);
  }
  explicit operator float() const {
    const uint32_t magnitude = bits & 0x7fffu;
    const uint32_t special = mask_below(0x7bffu, magnitude) & 0x7f800000u;
    const uint32_t sign = (bits & 0x8000u) << 16;
    return float_of(sign | special | widen<10, 15>(magnitude));
  }
};

// Like CUDA's types, the 8-bit types saturate: values that are too large, even
// infinity, become the largest number.
struct float8_e4m3fn {
  uint8_t bits;

  float8_e4m3fn() = default;
  explicit float8_e4m3fn(float value) {
    const uint32_t wide = bits_of(value);
    const uint32_t magnitude = wide & 0x7fffffffu;
    // 448 is the largest number; the next bit pattern is NaN.
    const uint32_t narrowed = narrow<3, 7>(smaller(magnitude, 0x43e00000u)) |
                              (mask_below(0x7f800000u, magnitude) & 1u);
    bits =
        static_cast<uint8_t>(((wide & 0x80000000u) | (narrowed << 24)) >> 24);
  }
  explicit operator float() const {
    const uint32_t magnitude = bits & 0x7fu;
    const uint32_t special = mask_below(0x7eu, magnitude) & 0x7fc00000u;
    const uint32_t sign = (bits & 0x80u) << 24;
    return float_of(sign | special | widen<3, 7>(magnitude));
  }
};

struct float8_e5m2 {
  uint8_t bits;

  float8_e5m2() = default;
  explicit float8_e5m2(float value) {
    const uint32_t wide = bits_of(value);
    const uint32_t magnitude = wide & 0x7fffffffu;
    // 57344 is the largest number; with one more bit set, it is NaN.
    const uint32_t narrowed = narrow<2, 15>(smaller(magnitude, 0x47600000u)) |
                              (mask_below(0x7f800000u, magnitude) & 4u);
    bits =
        static_cast<uint8_t>(((wide & 0x80000000u) | (narrowed << 24)) >> 24);
  }
  explicit operator float() const {
    const uint32_t magnitude = bits & 0x7fu;
    const uint32_t special = mask_below(0x7bu, magnitude) & 0x7f800000u;
    const uint32_t sign = (bits & 0x80u) << 24;
    return float_of(sign | special | widen<2, 15>(magnitude));
  }
};
#endif
// [storage_types.end]

// [dtype_dispatch.begin]
// Lists of C++ types that represent dtypes. `+` concatenates them:
// decltype(FloatingTypes{} + Float8Types{}).
template <typename... Types>
struct TypeList {};

template <typename... A, typename... B>
constexpr TypeList<A..., B...> operator+(TypeList<A...>, TypeList<B...>) {
  return {};
}

using FloatingTypes = TypeList<float, double, float16, bfloat16>;
using Float8Types = TypeList<float8_e4m3fn, float8_e5m2>;
using IntegerTypes = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t,
                              uint16_t, uint32_t, uint64_t>;
using BoolTypes = TypeList<bool>;

// The dtype of a C++ type.
template <typename T>
constexpr DLDataType dtype_of() {
  if constexpr (std::is_same<T, bool>::value) {
    return dl_bool;
  } else if constexpr (std::is_same<T, float16>::value) {
    return dl_float16;
  } else if constexpr (std::is_same<T, bfloat16>::value) {
    return dl_bfloat16;
  } else if constexpr (std::is_same<T, float8_e4m3fn>::value) {
    return dl_float8_e4m3fn;
  } else if constexpr (std::is_same<T, float8_e5m2>::value) {
    return dl_float8_e5m2;
  } else {
    static_assert(std::is_arithmetic<T>::value, "expected a type of a dtype");
    constexpr uint8_t code = std::is_floating_point<T>::value ? kDLFloat
                             : std::is_signed<T>::value       ? kDLInt
                                                              : kDLUInt;
    return {code, 8 * sizeof(T), 1};
  }
}

// Calls body(T{}) if the dtype is in the list, and returns whether it is.
template <typename... Types, typename Body>
bool find_type(TypeList<Types...>, DLDataType dtype, Body&& body) {
  return ((same_dtype(dtype, dtype_of<Types>()) && (body(Types{}), true)) ||
          ...);
}

// "float32, float64, float16 or bfloat16"
inline std::string names_of(const DLDataType* dtypes, size_t count) {
  std::string names;
  for (size_t i = 0; i < count; ++i) {
    if (i != 0) names += i + 1 == count ? " or " : ", ";
    names += text_of(dtypes[i]);
  }
  return names;
}

template <typename... Types>
std::string names_of(TypeList<Types...>) {
  const DLDataType dtypes[] = {dtype_of<Types>()...};
  return names_of(dtypes, sizeof...(Types));
}

// Calls body(T{}) with the C++ type of a dtype. A dtype outside the list is a
// TypeError; CHECK_DTYPE_IN reports it earlier, with the argument's name.
template <typename List, typename Body>
void dispatch(DLDataType dtype, Body&& body) {
  if (!find_type(List{}, dtype, body)) {
    TVM_FFI_THROW(TypeError)
        << "expected " << names_of(List{}) << ", got " << text_of(dtype);
  }
}

template <typename List>
bool is_one_of(DLDataType dtype) {
  return find_type(List{}, dtype, [](auto) {});
}

// The type to compute in: float for narrow types, otherwise the type itself.
template <typename T>
struct Compute {
  static constexpr bool kIsOwn =
      std::is_integral<T>::value || std::is_same<T, double>::value;
  using Type = std::conditional_t<kIsOwn, T, float>;
};
// [dtype_dispatch.end]

// [strided_layout.begin]
// The offset of the i-th element in row-major order. Adjacent dimensions that
// form one uniform stride are merged, so that a contiguous tensor has one
// dimension.
struct StridedLayout {
  static constexpr int kMaxDims = 64;  // NumPy 2's limit.

  int ndim = 0;
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];

  StridedLayout(const char* kernel, const ffi::TensorView& x) {
    check_dims(kernel, x);
    if (x.IsContiguous()) {
      append(x.numel(), 1);
      return;
    }
    for (int32_t i = 0; i < x.ndim(); ++i) append(x.size(i), x.stride(i));
  }

  // Only the first `dims` dimensions: where each row begins, for a kernel that
  // works row by row.
  StridedLayout(const char* kernel, const ffi::TensorView& x, int32_t dims) {
    check_dims(kernel, x);
    if (x.IsContiguous()) {
      int64_t length = 1;
      for (int32_t i = dims; i < x.ndim(); ++i) length *= x.size(i);
      append(length == 0 ? 0 : x.numel() / length, length);
      return;
    }
    for (int32_t i = 0; i < dims; ++i) append(x.size(i), x.stride(i));
  }

  HOST_DEVICE int64_t offset(int64_t i) const {
    int64_t sum = 0;
    for (int d = ndim - 1; d > 0; --d) {
      sum += (i % shape[d]) * strides[d];
      i /= shape[d];
    }
    return ndim == 0 ? 0 : sum + i * strides[0];
  }

 private:
  static void check_dims(const char* kernel, const ffi::TensorView& x) {
    if (x.ndim() > kMaxDims) {
      TVM_FFI_THROW(ValueError) << kernel << ": a tensor must have at most "
                                << kMaxDims << " dimensions, got " << x.ndim();
    }
  }
  void append(int64_t extent, int64_t stride) {
    if (extent == 1) return;
    if (ndim > 0 && strides[ndim - 1] == extent * stride) {
      shape[ndim - 1] *= extent;
      strides[ndim - 1] = stride;
      return;
    }
    shape[ndim] = extent;
    strides[ndim] = stride;
    ++ndim;
  }
};
// [strided_layout.end]

// [for_each_run.begin]
// For CPU code: calls body(first, offset, count, step) for each run of elements
// with one stride: elements first, first + 1, ... in row-major order, which are
// at offset, offset + step, ... in memory. No element needs a division, and a
// loop over a run vectorizes when step is 1.
template <typename Body>
void for_each_run(const StridedLayout& layout, Body&& body) {
  const int last = layout.ndim - 1;
  const int64_t count = last < 0 ? 1 : layout.shape[last];
  const int64_t step = last < 0 ? 1 : layout.strides[last];
  int64_t runs = count == 0 ? 0 : 1;
  for (int d = 0; d < last; ++d) runs *= layout.shape[d];
  int64_t index[StridedLayout::kMaxDims] = {};
  int64_t offset = 0;
  for (int64_t run = 0; run < runs; ++run) {
    body(run * count, offset, count, step);
    for (int d = last - 1; d >= 0; --d) {
      offset += layout.strides[d];
      if (++index[d] < layout.shape[d]) break;
      offset -= index[d] * layout.strides[d];
      index[d] = 0;
    }
  }
}
// [for_each_run.end]

// [map_elements.begin]
// For CPU code: y[i] = f(x[i]...) for contiguous elements. The loop over a
// block has a fixed length and its own output buffer, so that it vectorizes,
// even where y is an x. Prefetches 2 KB ahead, since large tensors are
// memory-bound.
template <typename F, typename Y, typename... X>
void map_elements(int64_t n, F f, Y* y, const X*... x) {
  constexpr int64_t kBlock = 256 / sizeof(Y);
  constexpr int64_t kAhead = 2048 / sizeof(Y);
  constexpr int64_t kLine = 64 / sizeof(Y);
  const int64_t whole = n - n % kBlock;
  for (int64_t first = 0; first < whole; first += kBlock) {
    for (int64_t i = first + kAhead; i < first + kAhead + kBlock; i += kLine) {
      __builtin_prefetch(y + i, 1);
      (__builtin_prefetch(x + i), ...);
    }
    Y block[kBlock];
    for (int64_t i = 0; i < kBlock; ++i) block[i] = f(x[first + i]...);
    for (int64_t i = 0; i < kBlock; ++i) y[first + i] = block[i];
  }
  for (int64_t i = whole; i < n; ++i) y[i] = f(x[i]...);
}
// [map_elements.end]

// [vector_access.begin]
// Elements that a GPU loads or stores at once: 16 bytes by default. The address
// must be aligned, so check is_aligned() first.
template <typename T, int kItems = 16 / sizeof(T)>
struct alignas(sizeof(T) * kItems < 16 ? sizeof(T) * kItems : 16) Vector {
  static constexpr int kSize = kItems;
  T items[kItems];
};

inline bool is_aligned(const void* address, size_t bytes = 16) {
  return reinterpret_cast<uintptr_t>(address) % bytes == 0;
}

#ifdef __CUDACC__
// The widest unsigned GPU word whose size divides kBytes.
template <size_t kBytes>
using Word = std::conditional_t<
    kBytes % 16 == 0, uint4,
    std::conditional_t<
        kBytes % 8 == 0, uint2,
        std::conditional_t<kBytes % 4 == 0, unsigned,
                           std::conditional_t<kBytes % 2 == 0, unsigned short,
                                              unsigned char>>>>;

// Stores a vector in as few instructions as its size allows. A plain assignment
// does not: in kernels over rows, nvcc 13 splits it into shorter stores, even
// when it assigns a uint4. It does not split __stwb, which writes back through
// the caches like an ordinary store.
template <typename T, int kItems>
__device__ void store(T* to, const Vector<T, kItems>& vector) {
  using W = Word<sizeof(vector)>;
  W words[sizeof(vector) / sizeof(W)];
  memcpy(words, &vector, sizeof(vector));
  W* at = reinterpret_cast<W*>(to);
#pragma unroll
  for (const W& word : words) __stwb(at++, word);
}
#endif
// [vector_access.end]

// [blocks_for.begin]
// The number of blocks in x for a grid-stride loop over a number of items: at
// least one, since an empty grid is an error, and at most 2^20, which any GPU
// allows in x.
inline unsigned blocks_for(int64_t items, int64_t items_per_block) {
  constexpr int64_t kMost = 1 << 20;
  const int64_t blocks = (items + items_per_block - 1) / items_per_block;
  return static_cast<unsigned>(blocks < 1       ? 1
                               : blocks < kMost ? blocks
                                                : kMost);
}
// [blocks_for.end]

// [rows.begin]
inline bool has_dense_rows(const ffi::TensorView& x) {
  if (x.IsContiguous()) return true;
  const int32_t last = x.ndim() - 1;
  return x.size(last) == 1 || x.stride(last) == 1;
}

// A tensor as rows along its last dimension, after CHECK_DENSE_ROWS: row i
// begins at starts.offset(i). A 0-dimensional tensor is one row of one element.
struct Rows {
  int64_t count = 1;
  int64_t length = 1;
  StridedLayout starts;

  Rows(const char* kernel, const ffi::TensorView& x)
      : starts(kernel, x, x.ndim() == 0 ? 0 : x.ndim() - 1) {
    for (int32_t i = 0; i < x.ndim() - 1; ++i) count *= x.size(i);
    if (x.ndim() != 0) length = x.size(-1);
  }

  // Whether every row begins a multiple of `items` elements after the first.
  bool begin_at_multiples_of(int64_t items) const {
    for (int d = 0; d < starts.ndim; ++d) {
      if (starts.strides[d] % items != 0) return false;
    }
    return true;
  }
};
// [rows.end]

#ifdef __CUDACC__
// [row_blocks.begin]
// Each row is processed by blockDim.x threads, a power of two; a block takes
// blockDim.y rows at a time. Each thread loads kRowLoads vectors before it uses
// the first, to keep memory busy. With four, softmax of 16-bit types needs more
// registers than a thread of such a large block has.
constexpr int kRowLoads = 2;
constexpr int kMaxRowThreads = 1024;

inline dim3 row_block(int64_t vectors_of_a_row, int loads = kRowLoads) {
  unsigned threads = 8;
  while (threads < kMaxRowThreads &&
         int64_t{threads} * loads < vectors_of_a_row)
    threads *= 2;
  return dim3(threads, threads < 256 ? 256 / threads : 1);
}

// A thread's share of a chunk of a row, in registers: kLoads vectors of kItems
// adjacent elements, from the chunk that begins at element `start`. The row's
// length is a multiple of kItems.
template <typename T, int kItems, int kLoads = kRowLoads>
struct RowPart {
  Vector<T, kItems> vectors[kLoads];

  // Number of elements in a chunk: a power of two.
  static __device__ int64_t stretch() {
    return int64_t{kLoads} * kItems * blockDim.x;
  }

  // Where the last chunk of a row begins; negative if the row is empty.
  static __device__ int64_t last(int64_t length) {
    return (length - 1) & -stretch();
  }

  // Calls body(i, k) for each vector within the row; the first element of
  // vectors[k] is element i of the row.
  template <typename Body>
  static __device__ void each(int64_t start, int64_t length, Body&& body) {
    const int64_t own = start + int64_t{threadIdx.x} * kItems;
    const int step = static_cast<int>(blockDim.x) * kItems;
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      if (own + k * step < length) body(own + k * step, k);
    }
  }

  // Elements past the end of the row become `neutral`, which changes no result,
  // so that no branch is needed to compute with the part. The vectors are
  // filled word by word, which takes fewer instructions.
  __device__ void load(const T* row, int64_t start, int64_t length, T neutral) {
    using W = Word<sizeof(vectors[0])>;
    constexpr int kWords = sizeof(vectors[0]) / sizeof(W);
    for (Vector<T, kItems>& vector : vectors) {
      for (T& item : vector.items) item = neutral;
    }
    W words[kLoads][kWords];
    memcpy(words, vectors, sizeof(vectors));
    each(start, length, [&](int64_t i, int k) {
      const W* from = reinterpret_cast<const W*>(row + i);
      for (W& word : words[k]) word = *from++;
    });
    memcpy(vectors, words, sizeof(vectors));
  }
};
// [row_blocks.end]

// [block_reduce.begin]
// The value held by the lane whose index is this lane's index XOR `bits`.
template <typename V>
__device__ V from_lane_across(V value, unsigned bits) {
  static_assert(sizeof(V) % 4 == 0, "expected a value of whole words");
  unsigned words[sizeof(V) / 4];
  memcpy(words, &value, sizeof(V));
#pragma unroll
  for (unsigned& word : words) word = __shfl_xor_sync(0xffffffffu, word, bits);
  memcpy(&value, words, sizeof(V));
  return value;
}

// Combines one value from each of a row's blockDim.x threads and returns the
// result to all of them: by shuffles within a warp, then through shared memory
// across warps. Every thread of the block must call it. The order of operations
// is always the same.
template <typename V, typename Combine>
__device__ V reduce_row(V value, Combine combine) {
#pragma unroll
  for (unsigned bits = 16; bits > 0; bits /= 2) {
    if (bits < blockDim.x)
      value = combine(value, from_lane_across(value, bits));
  }
  if (blockDim.x <= 32) return value;
  __shared__ V of_warp[32];
  const unsigned warps = blockDim.x / 32;
  const unsigned first = threadIdx.y * warps;  // of this row
  if (threadIdx.x % 32 == 0) of_warp[first + threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warp[first + (threadIdx.x & (warps - 1))];
#pragma unroll
  for (unsigned bits = 16; bits > 0; bits /= 2) {
    if (bits < warps) value = combine(value, from_lane_across(value, bits));
  }
  __syncthreads();  // The next call may write of_warp.
  return value;
}
// [block_reduce.end]
#endif

}  // namespace

#endif  // TVM_FFI_UTILS_H_
