/* SPDX-License-Identifier: Apache-2.0 */
/* The C examples of the page on exceptions. */
#include <stddef.h>
#include <tvm/ffi/c_api.h>

#define EXPORT(name)                                                                           \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##name(void* self, const TVMFFIAny* args, int32_t num_args, \
                                          TVMFFIAny* result);                                  \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##name(void* self, const TVMFFIAny* args, int32_t num_args, \
                                          TVMFFIAny* result)

/* [raise.begin] */
EXPORT(double_of) {
  (void)self;
  if (num_args != 1 || args[0].type_index != kTVMFFIInt) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "double_of: n: expected an int");
    return -1;
  }
  result->type_index = kTVMFFIInt;
  result->v_int64 = 2 * args[0].v_int64;
  return 0;
}
/* [raise.end] */

/* [pass_on.begin] */
EXPORT(call_with_one) {
  TVMFFIAny one = {0};
  int code;
  (void)self;
  (void)num_args;
  one.type_index = kTVMFFIInt;
  one.v_int64 = 1;
  code = TVMFFIFunctionCall(args[0].v_obj, &one, 1, result);
  return code; /* not 0: the error stays raised, for the caller */
}
/* [pass_on.end] */

/* [take.begin] */
EXPORT(call_or_zero) {
  if (__tvm_ffi_call_with_one(self, args, num_args, result) == -1) {
    TVMFFIObjectHandle error = NULL;
    TVMFFIErrorMoveFromRaised(&error); /* the error is now ours, and none is raised */
    TVMFFIObjectDecRef(error);
    result->type_index = kTVMFFIInt;
    result->v_int64 = 0;
  }
  return 0;
}
/* [take.end] */
