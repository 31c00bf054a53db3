/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors into and out of values, in C99 that compiles as C++ too; shown on pages, to be copied. */
#ifndef TENSOR_CONVERSIONS_H_
#define TENSOR_CONVERSIONS_H_

#include <stddef.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

/* [results.begin] */
/* On FAILURE, nothing was written, no reference was counted, and no error is raised. */
enum { SUCCESS = 0, FAILURE = -1 };
/* [results.end] */

/* [any_to_dltensor_view.begin] */
/* The tensor in a value, borrowed: valid while the value's owner keeps it. */
static inline int AnyToDLTensorView(const TVMFFIAny* value, DLTensor** out) {
  if (value == NULL || out == NULL || value->v_ptr == NULL) return FAILURE;
  switch (value->type_index) {
    case kTVMFFIDLTensorPtr: /* a view: the value holds its address */
      *out = (DLTensor*)value->v_ptr;
      return SUCCESS;
    case kTVMFFITensor: /* an owned tensor: the DLTensor follows the object header */
      *out = (DLTensor*)(value->v_obj + 1);
      return SUCCESS;
    default:
      return FAILURE;
  }
}
/* [any_to_dltensor_view.end] */

/* [any_to_owned_tensor.begin] */
/* The tensor in a value, with its own reference: release it with TVMFFIObjectDecRef. */
static inline int AnyToOwnedTensor(const TVMFFIAny* value, TVMFFIObjectHandle* out) {
  if (value == NULL || out == NULL) return FAILURE;
  /* A view has no owner to share, so it never becomes an owned tensor. */
  if (value->type_index != kTVMFFITensor || value->v_obj == NULL) return FAILURE;
  if (TVMFFIObjectIncRef(value->v_obj) != 0) return FAILURE;
  *out = value->v_obj;
  return SUCCESS;
}
/* [any_to_owned_tensor.end] */

/* [tensor_to_any_view.begin] */
/* A value that borrows the tensor: no reference is counted, so the tensor must outlive it. */
static inline int TensorToAnyView(TVMFFIObjectHandle tensor, TVMFFIAny* out) {
  TVMFFIObject* object = (TVMFFIObject*)tensor;
  if (object == NULL || out == NULL || object->type_index != kTVMFFITensor) return FAILURE;
  memset(out, 0, sizeof(*out)); /* zero_padding must be 0 */
  out->type_index = kTVMFFITensor;
  out->v_obj = object;
  return SUCCESS;
}
/* [tensor_to_any_view.end] */

/* [tensor_to_any.begin] */
/* A value that shares ownership of the tensor with the caller: it has its own reference. */
static inline int TensorToAny(TVMFFIObjectHandle tensor, TVMFFIAny* out) {
  if (TensorToAnyView(tensor, out) != SUCCESS) return FAILURE;
  return TVMFFIObjectIncRef(tensor) == 0 ? SUCCESS : FAILURE;
}
/* [tensor_to_any.end] */

/* [dltensor_to_any_view.begin] */
/* A value that borrows a plain DLTensor, which must outlive it. */
static inline int DLTensorToAnyView(DLTensor* tensor, TVMFFIAny* out) {
  if (tensor == NULL || out == NULL) return FAILURE;
  memset(out, 0, sizeof(*out)); /* zero_padding must be 0 */
  out->type_index = kTVMFFIDLTensorPtr;
  out->v_ptr = tensor;
  return SUCCESS;
}
/* [dltensor_to_any_view.end] */

#endif /* TENSOR_CONVERSIONS_H_ */
