/* SPDX-License-Identifier: Apache-2.0 */
/*!
 * \file dlpack/dlpack.h
 * \brief The DLPack 1.3 interface, declared from its specification
 * (https://dmlc.github.io/dlpack/latest/).
 *
 * The include guard is the one of the official header, so that the two never collide: whichever is
 * included first is the one that counts.
 */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

/*! \brief Major version: a consumer must refuse a tensor of another major version. */
#define DLPACK_MAJOR_VERSION 1
/*! \brief Minor version: raised when enumerators or flags are added. */
#define DLPACK_MINOR_VERSION 3

/*! \brief Flag: the consumer must not write through the data pointer. */
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
/*! \brief Flag: the producer made a copy, so the consumer is its sole owner. */
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
/*! \brief Flag: elements narrower than a byte are padded to one byte each instead of packed. */
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*! \brief Version of the DLPack interface that a producer was built with. */
typedef struct {
  /*! \brief Major version. */
  uint32_t major;
  /*! \brief Minor version. */
  uint32_t minor;
} DLPackVersion;

/*! \brief Kind of the device that holds a tensor. */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kDLCPU = 1,          /*!< Host memory. */
  kDLCUDA = 2,         /*!< NVIDIA GPU memory. */
  kDLCUDAHost = 3,     /*!< Host memory pinned by CUDA. */
  kDLOpenCL = 4,       /*!< OpenCL buffer. */
  kDLVulkan = 7,       /*!< Vulkan buffer. */
  kDLMetal = 8,        /*!< Apple Metal buffer. */
  kDLVPI = 9,          /*!< Verilog simulator buffer. */
  kDLROCM = 10,        /*!< AMD GPU memory. */
  kDLROCMHost = 11,    /*!< Host memory pinned by ROCm. */
  kDLExtDev = 12,      /*!< Reserved for extension devices. */
  kDLCUDAManaged = 13, /*!< CUDA managed (unified) memory. */
  kDLOneAPI = 14,      /*!< oneAPI unified shared memory. */
  kDLWebGPU = 15,      /*!< WebGPU buffer. */
  kDLHexagon = 16,     /*!< Qualcomm Hexagon DSP. */
  kDLMAIA = 17,        /*!< Microsoft MAIA. */
  kDLTrn = 18,         /*!< AWS Trainium. */
} DLDeviceType;

/*! \brief A device: its kind and its number among devices of that kind. */
typedef struct {
  /*! \brief Kind of the device. */
  DLDeviceType device_type;
  /*! \brief Number of the device, 0 for the first (and for the CPU). */
  int32_t device_id;
} DLDevice;

/*! \brief Code of the element type of a tensor. */
typedef enum {
  kDLInt = 0U,                /*!< Signed integer. */
  kDLUInt = 1U,               /*!< Unsigned integer. */
  kDLFloat = 2U,              /*!< IEEE floating point. */
  kDLOpaqueHandle = 3U,       /*!< Opaque handle. */
  kDLBfloat = 4U,             /*!< bfloat16. */
  kDLComplex = 5U,            /*!< Complex number; bits count both parts. */
  kDLBool = 6U,               /*!< Boolean, one byte. */
  kDLFloat8_e3m4 = 7U,        /*!< 8-bit float, 3 exponent bits. */
  kDLFloat8_e4m3 = 8U,        /*!< 8-bit float, 4 exponent bits, with infinities. */
  kDLFloat8_e4m3b11fnuz = 9U, /*!< 8-bit float, 4 exponent bits, bias 11, no negative zero. */
  kDLFloat8_e4m3fn = 10U,     /*!< 8-bit float, 4 exponent bits, finite. */
  kDLFloat8_e4m3fnuz = 11U,   /*!< 8-bit float, 4 exponent bits, finite, no negative zero. */
  kDLFloat8_e5m2 = 12U,       /*!< 8-bit float, 5 exponent bits. */
  kDLFloat8_e5m2fnuz = 13U,   /*!< 8-bit float, 5 exponent bits, finite, no negative zero. */
  kDLFloat8_e8m0fnu = 14U,    /*!< 8-bit power of two, the scale of MX formats. */
  kDLFloat6_e2m3fn = 15U,     /*!< 6-bit float, 2 exponent bits. */
  kDLFloat6_e3m2fn = 16U,     /*!< 6-bit float, 3 exponent bits. */
  kDLFloat4_e2m1fn = 17U,     /*!< 4-bit float, 2 exponent bits. */
} DLDataTypeCode;

/*! \brief Element type: `lanes` values of `bits` bits of the kind `code`. */
typedef struct {
  /*! \brief One of DLDataTypeCode. */
  uint8_t code;
  /*! \brief Bits of one value, for example 16. */
  uint8_t bits;
  /*! \brief Values in one element; 1 unless the type is a vector. */
  uint16_t lanes;
} DLDataType;

/*! \brief A tensor that somebody else owns: where its elements are and how they are laid out. */
typedef struct {
  /*! \brief Address of the allocation on `device`; NULL is allowed when the tensor is empty. */
  void* data;
  /*! \brief Device that holds `data`. */
  DLDevice device;
  /*! \brief Number of dimensions. */
  int32_t ndim;
  /*! \brief Element type. */
  DLDataType dtype;
  /*! \brief Extent of each dimension, `ndim` numbers. */
  int64_t* shape;
  /*! \brief Step of each dimension in elements, `ndim` numbers; NULL only if `ndim` is 0, and
   * before DLPack 1.2 also in a compact, row-major tensor. */
  int64_t* strides;
  /*! \brief Distance in bytes from `data` to the first element. */
  uint64_t byte_offset;
} DLTensor;

/*! \brief A tensor with its owner's deleter, as exchanged before DLPack 1.0. */
typedef struct DLManagedTensor {
  /*! \brief The tensor. */
  DLTensor dl_tensor;
  /*! \brief What the producer needs in `deleter`. */
  void* manager_ctx;
  /*! \brief Called once by the consumer when it is done; may be NULL. */
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

/*! \brief A tensor with its owner's deleter, version and flags, as exchanged since DLPack 1.0. */
typedef struct DLManagedTensorVersioned {
  /*! \brief Version of the interface that the producer follows. */
  DLPackVersion version;
  /*! \brief What the producer needs in `deleter`. */
  void* manager_ctx;
  /*! \brief Called once by the consumer when it is done; may be NULL. */
  void (*deleter)(struct DLManagedTensorVersioned* self);
  /*! \brief Union of DLPACK_FLAG_BITMASK_* bits. */
  uint64_t flags;
  /*! \brief The tensor. */
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

/*!
 * \brief Allocates a tensor like `prototype` (its dtype, shape, device) in a framework's own
 * memory.
 * \return 0, or -1 after it called SetError(error_ctx, kind, message).
 */
typedef int (*DLPackManagedTensorAllocator)(DLTensor* prototype, DLManagedTensorVersioned** out,
                                            void* error_ctx,
                                            void (*SetError)(void* error_ctx, const char* kind,
                                                             const char* message));

/*! \brief Exports a Python tensor without stream synchronisation; 0, or -1 with a Python error set.
 */
typedef int (*DLPackManagedTensorFromPyObjectNoSync)(void* py_object,
                                                     DLManagedTensorVersioned** out);

/*! \brief Wraps a managed tensor in a new Python tensor; 0, or -1 with a Python error set. */
typedef int (*DLPackManagedTensorToPyObjectNoSync)(DLManagedTensorVersioned* tensor,
                                                   void** out_py_object);

/*! \brief Fills `out` with a view that is valid while `py_object` lives; 0, or -1 with a Python
 * error set. */
typedef int (*DLPackDLTensorFromPyObjectNoSync)(void* py_object, DLTensor* out);

/*! \brief Reports the stream that the framework currently works on; 0, or -1 with a Python error
 * set. */
typedef int (*DLPackCurrentWorkStream)(DLDeviceType device_type, int32_t device_id,
                                       void** out_current_stream);

/*! \brief The stable head of an exchange table: its version, and an older table for older
 * consumers. */
typedef struct DLPackExchangeAPIHeader {
  /*! \brief Version that this table follows. */
  DLPackVersion version;
  /*! \brief A table of an earlier major version, or NULL. */
  struct DLPackExchangeAPIHeader* prev_api;
} DLPackExchangeAPIHeader;

/*! \brief The functions of a framework behind `type(tensor).__dlpack_c_exchange_api__`. */
typedef struct DLPackExchangeAPI {
  /*! \brief Version and predecessor. */
  DLPackExchangeAPIHeader header;
  /*! \brief Allocates in the framework's memory; never NULL. */
  DLPackManagedTensorAllocator managed_tensor_allocator;
  /*! \brief Exports with ownership; never NULL. */
  DLPackManagedTensorFromPyObjectNoSync managed_tensor_from_py_object_no_sync;
  /*! \brief Imports with ownership; never NULL. */
  DLPackManagedTensorToPyObjectNoSync managed_tensor_to_py_object_no_sync;
  /*! \brief Lends a view; may be NULL. */
  DLPackDLTensorFromPyObjectNoSync dltensor_from_py_object_no_sync;
  /*! \brief Reports the current stream; never NULL. */
  DLPackCurrentWorkStream current_work_stream;
} DLPackExchangeAPI;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DLPACK_DLPACK_H_ */
