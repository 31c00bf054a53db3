/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that read, write and allocate tensors of every element type and layout. */
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#define EXPORT(name)                                                                    \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##name(void* self, const TVMFFIAny* args, int32_t n, \
                                          TVMFFIAny* result);                           \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##name(void* self, const TVMFFIAny* args, int32_t n, \
                                          TVMFFIAny* result)
#define UNUSED ((void)self, (void)args, (void)n, (void)result)

static const DLTensor* tensor_in(const TVMFFIAny* value) {
  if (value->type_index == kTVMFFITensor) return (const DLTensor*)(value->v_obj + 1);
  TVMFFIErrorSetRaisedFromCStr("TypeError", "expected a tensor");
  return NULL;
}

static size_t bytes_per_element(const DLTensor* tensor) {
  return ((size_t)tensor->dtype.bits * tensor->dtype.lanes + 7) / 8;
}

static size_t numel(const DLTensor* tensor) {
  size_t count = 1;
  for (int32_t i = 0; i < tensor->ndim; ++i) count *= (size_t)tensor->shape[i];
  return count;
}

/* The address of the element at `position` in row-major order. */
static char* element(const DLTensor* tensor, size_t position) {
  int64_t offset = 0;
  for (int32_t i = tensor->ndim; i-- > 0;) {
    offset += (int64_t)(position % (size_t)tensor->shape[i]) * tensor->strides[i];
    position /= (size_t)tensor->shape[i];
  }
  return (char*)tensor->data + offset * (int64_t)bytes_per_element(tensor);
}

/* Returns the bytes of all elements in row-major order. */
EXPORT(read) {
  const DLTensor* tensor = tensor_in(args);
  TVMFFIByteArray bytes;
  char* buffer;
  int code;
  UNUSED;
  if (tensor == NULL) return -1;
  bytes.size = numel(tensor) * bytes_per_element(tensor);
  bytes.data = buffer = (char*)malloc(bytes.size + 1);
  for (size_t i = 0; i < numel(tensor); ++i) {
    memcpy(buffer + i * bytes_per_element(tensor), element(tensor, i), bytes_per_element(tensor));
  }
  code = TVMFFIBytesFromByteArray(&bytes, result);
  free(buffer);
  return code;
}

/* Sets every byte of every element to the second argument. */
EXPORT(fill) {
  const DLTensor* tensor = tensor_in(args);
  UNUSED;
  if (tensor == NULL) return -1;
  for (size_t i = 0; i < numel(tensor); ++i) {
    memset(element(tensor, i), (int)args[1].v_int64, bytes_per_element(tensor));
  }
  return 0;
}

/* Returns the tensor itself. */
EXPORT(echo) {
  UNUSED;
  return TVMFFIAnyViewToOwnedAny(args, result);
}

/* Allocates a tensor like the first argument with the environment's allocator. */
EXPORT(allocate_like) {
  const DLTensor* tensor = tensor_in(args);
  TVMFFIObjectHandle made = NULL;
  DLTensor prototype;
  int code;
  UNUSED;
  if (tensor == NULL) return -1;
  prototype = *tensor;
  prototype.data = NULL;
  prototype.strides = NULL;
  code = TVMFFIEnvTensorAlloc(&prototype, &made);
  if (code != 0) return code;
  result->type_index = kTVMFFITensor;
  result->v_obj = (TVMFFIObject*)made;
  return 0;
}
