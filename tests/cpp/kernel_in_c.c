/* SPDX-License-Identifier: Apache-2.0 */
/* add_one in plain C99: y = x + 1 for float32 on the CPU; test_kernel_in_c.py builds and calls it.
 */
/* [includes.begin] */
#include <tvm/ffi/c_api.h>
/* [includes.end] */

/* [fail.begin] */
static int Fail(const char* kind, const char* message) {
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}
/* [fail.end] */

/* [tensor_in.begin] */
/* The tensor in a value, owned or borrowed; NULL if it is not a tensor. */
static const DLTensor* TensorIn(const TVMFFIAny* value) {
  if (value->type_index == kTVMFFIDLTensorPtr) return (const DLTensor*)value->v_ptr;
  if (value->type_index == kTVMFFITensor) return (const DLTensor*)(value->v_obj + 1);
  return NULL;
}
/* [tensor_in.end] */

/* [fields.begin] */
static int IsFloat32Vector(const DLTensor* tensor) {
  return tensor->ndim == 1 && tensor->dtype.code == kDLFloat && tensor->dtype.bits == 32 &&
         tensor->dtype.lanes == 1;
}

static float* DataOf(const DLTensor* tensor) {
  return (float*)((char*)tensor->data + tensor->byte_offset);
}

static int64_t StrideOf(const DLTensor* tensor) {
  return tensor->strides == NULL ? 1 : tensor->strides[0];
}
/* [fields.end] */

/* [add_one.begin] */
TVM_FFI_DLL_EXPORT int __tvm_ffi_add_one(void* handle, const TVMFFIAny* args, int32_t num_args,
                                         TVMFFIAny* result) {
  const DLTensor* x;
  const DLTensor* y;
  int64_t i;
  (void)handle;
  if (num_args != 2) return Fail("TypeError", "add_one(x, y): expected 2 arguments");
  x = TensorIn(&args[0]);
  y = TensorIn(&args[1]);
  if (x == NULL) return Fail("TypeError", "add_one: x: expected a tensor");
  if (y == NULL) return Fail("TypeError", "add_one: y: expected a tensor");
  if (x->device.device_type != kDLCPU || y->device.device_type != kDLCPU) {
    return Fail("ValueError", "add_one: x, y: expected tensors on the CPU");
  }
  if (!IsFloat32Vector(x)) return Fail("TypeError", "add_one: x: expected a float32 vector");
  if (!IsFloat32Vector(y)) return Fail("TypeError", "add_one: y: expected a float32 vector");
  if (x->shape[0] != y->shape[0]) {
    const char* parts[3] = {"add_one: y: ", "expected the length of x", ", got another"};
    TVMFFIErrorSetRaisedFromCStrParts("ValueError", parts, 3);
    return -1;
  }
  for (i = 0; i < x->shape[0]; ++i) {
    DataOf(y)[i * StrideOf(y)] = DataOf(x)[i * StrideOf(x)] + 1.0f;
  }
  result->type_index = kTVMFFIInt;
  result->v_int64 = x->shape[0];
  return 0;
}
/* [add_one.end] */

/* [same.begin] */
/* Returns its argument as an owned value: adds a reference, copies lent text. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_same(void* handle, const TVMFFIAny* args, int32_t num_args,
                                      TVMFFIAny* result) {
  (void)handle;
  if (num_args != 1) return Fail("TypeError", "same(x): expected 1 argument");
  return TVMFFIAnyViewToOwnedAny(&args[0], result);
}
/* [same.end] */

/* [call_back.begin] */
/* Calls the function passed to it with 20 and 22; its error passes through. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_call_back(void* handle, const TVMFFIAny* args, int32_t num_args,
                                           TVMFFIAny* result) {
  TVMFFIAny numbers[2] = {{0}, {0}};
  (void)handle;
  if (num_args != 1 || args[0].type_index != kTVMFFIFunction) {
    return Fail("TypeError", "call_back(f): f: expected a Function");
  }
  numbers[0].type_index = kTVMFFIInt;
  numbers[0].v_int64 = 20;
  numbers[1].type_index = kTVMFFIInt;
  numbers[1].v_int64 = 22;
  return TVMFFIFunctionCall(args[0].v_obj, numbers, 2, result);
}
/* [call_back.end] */
