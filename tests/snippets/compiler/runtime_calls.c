/* SPDX-License-Identifier: Apache-2.0 */
/* What generated code needs from the runtime: tensors, its own state, functions by name. */
#include <stdlib.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#define EXPORT(name)                                                                           \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##name(void* self, const TVMFFIAny* args, int32_t num_args, \
                                          TVMFFIAny* result);                                  \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##name(void* self, const TVMFFIAny* args, int32_t num_args, \
                                          TVMFFIAny* result)

static int fail(const char* kind, const char* message) {
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}

/* [tensor.begin] */
/* countdown(n): the numbers n - 1 to 0, in a new int64 tensor. */
EXPORT(countdown) {
  DLTensor prototype = {0};
  TVMFFIObjectHandle made = NULL;
  int64_t* data;
  int64_t i, n;
  (void)self;
  if (num_args != 1 || args[0].type_index != kTVMFFIInt || args[0].v_int64 < 0)
    return fail("TypeError", "countdown: n: expected an int, not negative");
  n = args[0].v_int64;
  prototype.device.device_type = kDLCPU;
  prototype.dtype.code = kDLInt;
  prototype.dtype.bits = 64;
  prototype.dtype.lanes = 1;
  prototype.ndim = 1;
  prototype.shape = &n;
  if (TVMFFIEnvTensorAlloc(&prototype, &made) != 0) return -1; /* its error stays raised */
  data = (int64_t*)((const DLTensor*)((const TVMFFIObject*)made + 1))->data;
  for (i = 0; i < n; ++i) data[i] = n - 1 - i;
  result->type_index = kTVMFFITensor;
  result->v_obj = (TVMFFIObject*)made; /* the caller owns the reference */
  return 0;
}
/* [tensor.end] */

/* [state.begin] */
typedef struct {
  int64_t next;
  int64_t step;
} Counter;

static int count(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  Counter* counter = (Counter*)self;
  (void)args, (void)num_args;
  result->type_index = kTVMFFIInt;
  result->v_int64 = counter->next;
  counter->next += counter->step;
  return 0;
}

/* make_counter(step): a function with state, which is freed with it. */
EXPORT(make_counter) {
  TVMFFIObjectHandle made = NULL;
  Counter* counter;
  (void)self;
  if (num_args != 1 || args[0].type_index != kTVMFFIInt)
    return fail("TypeError", "make_counter: step: expected an int");
  counter = (Counter*)malloc(sizeof(Counter));
  if (counter == NULL) return fail("MemoryError", "make_counter: no memory");
  counter->next = 0;
  counter->step = args[0].v_int64;
  if (TVMFFIFunctionCreate(counter, count, free, &made) != 0) return free(counter), -1;
  result->type_index = kTVMFFIFunction;
  result->v_obj = (TVMFFIObject*)made;
  return 0;
}
/* [state.end] */

/* [global.begin] */
static void* report = NULL;

static int find_report(void** found) {
  const TVMFFIByteArray name = {"compiler.report", 15};
  if (TVMFFIFunctionGetGlobal(&name, found) != 0) return -1;
  return *found != NULL ? 0 : fail("RuntimeError", "run: no function compiler.report");
}

/* run(): looks up the function the first time, and calls it every time. */
EXPORT(run) {
  TVMFFIAny line = {0};
  (void)self, (void)args, (void)num_args;
  if (TVMFFIHandleInitOnce(&report, find_report) != 0) return -1;
  line.type_index = kTVMFFIRawStr; /* borrowed for the call */
  line.v_c_str = "run was called";
  return TVMFFIFunctionCall(report, &line, 1, result);
}
/* [global.end] */
