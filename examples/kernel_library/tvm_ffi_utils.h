// SPDX-License-Identifier: Apache-2.0
// What the kernels of a library share: checks, the stream, allocation, dtypes,
// strided access. Copy it next to your kernels; it works with CPU and CUDA
// sources.
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

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

namespace ffi = tvm::ffi;
// [includes.end]

// Each library keeps its own copy of what follows, whatever its compiler flags
// are.
namespace {

// [dtype_constants.begin]
constexpr DLDataType dl_float32{kDLFloat, 32, 1};
constexpr DLDataType dl_float64{kDLFloat, 64, 1};
constexpr DLDataType dl_float16{kDLFloat, 16, 1};
constexpr DLDataType dl_bfloat16{kDLBfloat, 16, 1};

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

// Texts for error messages: "7", "(2, 3)", "cuda:0".
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

// Address of the first element. The offset is 0 where the runtime has added it
// already.
template <typename T>
T* data_of(const ffi::TensorView& x) {
  return reinterpret_cast<T*>(static_cast<char*>(x.data_ptr()) +
                              x.byte_offset());
}

// [check_macros.begin]
// Each check names the kernel, the argument, what was expected and what came.
#define CHECK_OR_THROW(ok, Kind, x, expected, got)                       \
  do {                                                                   \
    if (!(ok)) {                                                         \
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

#define CHECK_DTYPE(x, expected)                                  \
  CHECK_OR_THROW(same_dtype((x).dtype(), expected), TypeError, x, \
                 ffi::DLDataTypeToString(expected),               \
                 ffi::DLDataTypeToString((x).dtype()))

#define CHECK_FLOATING(x)                                 \
  CHECK_OR_THROW(is_floating((x).dtype()), TypeError, x,  \
                 "float32, float64, float16 or bfloat16", \
                 ffi::DLDataTypeToString((x).dtype()))

#define CHECK_SAME_DTYPE(y, x)                                        \
  CHECK_OR_THROW(same_dtype((y).dtype(), (x).dtype()), TypeError, y,  \
                 ffi::DLDataTypeToString((x).dtype()) << " like " #x, \
                 ffi::DLDataTypeToString((y).dtype()))

#define CHECK_SAME_DEVICE(y, x)                                          \
  CHECK_OR_THROW(same_device((y).device(), (x).device()), ValueError, y, \
                 "on " << text_of((x).device()) << " like " #x,          \
                 text_of((y).device()))

#define CHECK_SAME_SHAPE(y, x)                                       \
  CHECK_OR_THROW(same_shape(y, x), ValueError, y,                    \
                 "of shape " << text_of((x).shape()) << " like " #x, \
                 text_of((y).shape()))

// A GPU that reads a number across its boundary fails, and the process with it.
#define CHECK_ALIGNED(x)                                             \
  CHECK_OR_THROW(bytes_off(x) == 0, ValueError, x,                   \
                 "aligned to its " << item_size(x) << " byte items", \
                 "an address " << bytes_off(x) << " too far")

// Writing y must not change what is still to be read from x. The very same
// tensor is fine.
#define CHECK_NO_PARTIAL_OVERLAP(y, x)                         \
  CHECK_OR_THROW(!overlaps_in_part(y, x), ValueError, y,       \
                 "the same tensor as " #x " or apart from it", \
                 "overlapping ranges")
// [check_macros.end]

// Size in bytes of one element; those narrower than a byte count as one.
inline int64_t item_size(const ffi::TensorView& x) {
  return (x.dtype().bits * x.dtype().lanes + 7) / 8;
}

// Bytes from the boundary before the first element to the first element.
inline int64_t bytes_off(const ffi::TensorView& x) {
  const auto address = reinterpret_cast<uintptr_t>(data_of<char>(x));
  return static_cast<int64_t>(address % static_cast<uintptr_t>(item_size(x)));
}

// Bytes that a tensor spans: [first, last), with strides that may be negative.
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

inline bool overlaps_in_part(const ffi::TensorView& y,
                             const ffi::TensorView& x) {
  if (x.numel() == 0 || y.numel() == 0) return false;
  if (data_of<char>(x) == data_of<char>(y) &&
      same_dtype(x.dtype(), y.dtype()) && same_shape(x, y) &&
      x.IsContiguous() && y.IsContiguous())
    return false;
  const ByteRange a = byte_range(x);
  const ByteRange b = byte_range(y);
  return a.first < b.last && b.first < a.last;
}

#ifdef __CUDACC__
// [get_stream.begin]
// The stream that the caller's framework works on, for the device that the
// tensor is on.
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

// [storage_types.begin]
#ifdef __CUDACC__
using float16 = __half;
using bfloat16 = __nv_bfloat16;
#else
// Storage types of 16 bits for CPU code: they convert to float and back,
// rounding to nearest even.
struct bfloat16 {
  uint16_t bits;

  bfloat16() = default;
  explicit bfloat16(float value) {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof(wide));
    const bool is_nan = (wide & 0x7fffffffu) > 0x7f800000u;
    if (is_nan)
      wide |= 0x00400000u;  // A quiet one, whose upper half is not zero.
    else
      wide += 0x7fffu + ((wide >> 16) & 1u);
    bits = static_cast<uint16_t>(wide >> 16);
  }
  explicit operator float() const {
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
};

struct float16 {
  uint16_t bits;

  float16() = default;
  explicit float16(float value) {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof(wide));
    const uint32_t sign = (wide >> 16) & 0x8000u;
    const uint32_t magnitude = wide & 0x7fffffffu;
    uint32_t half;
    if (magnitude > 0x7f800000u) {
      half = 0x7e00u;  // NaN
    } else if (magnitude >= 0x477ff000u) {
      half = 0x7c00u;  // 65520 and above round to infinity.
    } else if (magnitude >= 0x38800000u) {
      half =
          (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
    } else {
      // Subnormal: adding 0.5 lines the last bit of a half up with the last bit
      // of a float.
      float shifted;
      std::memcpy(&shifted, &magnitude, sizeof(shifted));
      shifted += 0.5f;
      std::memcpy(&half, &shifted, sizeof(half));
      half -= 0x3f000000u;
    }
    bits = static_cast<uint16_t>(sign | half);
  }
  explicit operator float() const {
    const uint32_t sign = (bits & 0x8000u) << 16;
    const uint32_t exponent = (bits >> 10) & 0x1fu;
    const uint32_t fraction = bits & 0x3ffu;
    if (exponent == 0) {
      const float magnitude =
          static_cast<float>(fraction) / 16777216.0f;  // 2^24
      return sign != 0 ? -magnitude : magnitude;
    }
    const uint32_t wide =
        exponent == 31 ? (sign | 0x7f800000u | (fraction << 13))
                       : (sign | ((exponent + 112) << 23) | (fraction << 13));
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
};
#endif
// [storage_types.end]

// [dtype_dispatch.begin]
// Calls body(T{}) with the C++ type of a floating-point dtype, and returns
// whether it is one.
template <typename Body>
bool dispatch_floating(DLDataType dtype, Body body) {
  if (same_dtype(dtype, dl_float32)) {
    body(float{});
  } else if (same_dtype(dtype, dl_float64)) {
    body(double{});
  } else if (same_dtype(dtype, dl_float16)) {
    body(float16{});
  } else if (same_dtype(dtype, dl_bfloat16)) {
    body(bfloat16{});
  } else {
    return false;
  }
  return true;
}

inline bool is_floating(DLDataType dtype) {
  return dispatch_floating(dtype, [](auto) {});
}

// The type to compute in: float, but double for double.
template <typename T>
struct Compute {
  using Type = float;
};
template <>
struct Compute<double> {
  using Type = double;
};
// [dtype_dispatch.end]

// [strided_layout.begin]
// Where the i-th element in row-major order stands. Neighbouring dimensions are
// merged when one steps on where the other ends, so that a contiguous tensor
// has one dimension.
struct StridedLayout {
  static constexpr int kMaxDims = 64;  // As many as NumPy and PyTorch allow.

  int ndim = 0;
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];

  StridedLayout(const char* kernel, const ffi::TensorView& x) {
    if (x.ndim() > kMaxDims) {
      TVM_FFI_THROW(ValueError) << kernel << ": a tensor must have at most "
                                << kMaxDims << " dimensions, got " << x.ndim();
    }
    if (x.IsContiguous()) {
      append(x.numel(), 1);
      return;
    }
    for (int32_t i = 0; i < x.ndim(); ++i) append(x.size(i), x.stride(i));
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

}  // namespace

#endif  // TVM_FFI_UTILS_H_
