/* SPDX-License-Identifier: Apache-2.0 */
/* Functions written against the plain C ABI, called by the Python tests. */
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <unistd.h>

#define EXPORT(name)                                                                    \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##name(void* self, const TVMFFIAny* args, int32_t n, \
                                          TVMFFIAny* result);                           \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##name(void* self, const TVMFFIAny* args, int32_t n, \
                                          TVMFFIAny* result)
#define UNUSED ((void)self, (void)args, (void)n, (void)result)

static int give_int(TVMFFIAny* result, int64_t value) {
  result->type_index = kTVMFFIInt;
  result->v_int64 = value;
  return 0;
}

/* Returns the tensor in a value, borrowed or owned, or NULL after raising an error. */
static const DLTensor* tensor_in(const TVMFFIAny* value) {
  if (value->type_index == kTVMFFITensor) return (const DLTensor*)(value->v_obj + 1);
  if (value->type_index == kTVMFFIDLTensorPtr) return (const DLTensor*)value->v_ptr;
  TVMFFIErrorSetRaisedFromCStr("TypeError", "expected a tensor");
  return NULL;
}

EXPORT(nop) {
  UNUSED;
  return 0;
}

EXPORT(echo) {
  UNUSED;
  return TVMFFIAnyViewToOwnedAny(args, result);
}

EXPORT(type_index) {
  UNUSED;
  return give_int(result, args[0].type_index);
}

EXPORT(count) {
  UNUSED;
  return give_int(result, n);
}

/* The sum of the integers among the arguments. */
EXPORT(sum) {
  int64_t total = 0;
  UNUSED;
  for (int32_t i = 0; i < n; ++i) total += args[i].type_index == kTVMFFIInt ? args[i].v_int64 : 0;
  return give_int(result, total);
}

EXPORT(address) {
  const DLTensor* tensor = tensor_in(args);
  UNUSED;
  if (tensor == NULL) return -1;
  return give_int(result, (int64_t)(intptr_t)tensor->data);
}

EXPORT(byte_offset) {
  const DLTensor* tensor = tensor_in(args);
  UNUSED;
  if (tensor == NULL) return -1;
  return give_int(result, (int64_t)tensor->byte_offset);
}

EXPORT(ndim) {
  const DLTensor* tensor = tensor_in(args);
  UNUSED;
  if (tensor == NULL) return -1;
  return give_int(result, tensor->ndim);
}

EXPORT(shape_at) {
  const DLTensor* tensor = tensor_in(args);
  UNUSED;
  if (tensor == NULL) return -1;
  return give_int(result, tensor->shape[args[1].v_int64]);
}

EXPORT(stride_at) {
  const DLTensor* tensor = tensor_in(args);
  UNUSED;
  if (tensor == NULL) return -1;
  return give_int(result, tensor->strides[args[1].v_int64]);
}

EXPORT(dtype_of) {
  const DLTensor* tensor = tensor_in(args);
  UNUSED;
  if (tensor == NULL) return -1;
  result->type_index = kTVMFFIDataType;
  result->v_dtype = tensor->dtype;
  return 0;
}

/* The number of strong references to the argument. */
EXPORT(use_count) {
  UNUSED;
  return give_int(result, (int64_t)(args[0].v_obj->combined_ref_count & 0xffffffffu));
}

/* Adds 1 to each element of a compact float32 tensor. */
EXPORT(increment) {
  const DLTensor* tensor = tensor_in(args);
  int64_t numel = 1;
  UNUSED;
  if (tensor == NULL) return -1;
  for (int32_t i = 0; i < tensor->ndim; ++i) numel *= tensor->shape[i];
  for (int64_t i = 0; i < numel; ++i) ((float*)tensor->data)[i] += 1.0f;
  return 0;
}

static TVMFFIObjectHandle kept = NULL;

EXPORT(keep) {
  UNUSED;
  TVMFFIObjectDecRef(kept);
  kept = args[0].v_obj;
  return TVMFFIObjectIncRef(kept);
}

EXPORT(kept) {
  UNUSED;
  result->type_index = kTVMFFITensor;
  result->v_obj = (TVMFFIObject*)kept;
  return TVMFFIObjectIncRef(kept);
}

static void* drop_in_thread(void* object) {
  TVMFFIObjectDecRef(object);
  return NULL;
}

/* Drops the reference held by `keep` in a thread unknown to Python. */
EXPORT(drop_kept) {
  pthread_t thread;
  UNUSED;
  pthread_create(&thread, NULL, drop_in_thread, kept);
  pthread_join(thread, NULL);
  kept = NULL;
  return 0;
}

/* Allocates a float32 tensor of the given shape with the environment's allocator. */
EXPORT(allocate) {
  int64_t shape[8];
  DLTensor prototype;
  TVMFFIObjectHandle tensor = NULL;
  int code;
  UNUSED;
  memset(&prototype, 0, sizeof(prototype));
  for (int32_t i = 1; i < n; ++i) shape[i - 1] = args[i].v_int64;
  prototype.ndim = n - 1;
  prototype.shape = shape;
  prototype.dtype.code = kDLFloat;
  prototype.dtype.bits = 32;
  prototype.dtype.lanes = 1;
  prototype.device.device_type = kDLCPU;
  code = TVMFFIEnvTensorAlloc(&prototype, &tensor);
  if (code != 0) return code;
  result->type_index = kTVMFFITensor;
  result->v_obj = (TVMFFIObject*)tensor;
  return 0;
}

EXPORT(has_allocator) {
  UNUSED;
  result->type_index = kTVMFFIBool;
  result->v_int64 = TVMFFIEnvGetDLPackManagedTensorAllocator() != NULL;
  return 0;
}

/* Violates the rule that a result must be owned. */
EXPORT(borrowed_text) {
  UNUSED;
  result->type_index = kTVMFFIRawStr;
  result->v_c_str = "text";
  return 0;
}

/* The current stream of a device; tensors follow only to set it: (type, id, tensors...). */
EXPORT(stream_of) {
  UNUSED;
  return give_int(result, (int64_t)(intptr_t)TVMFFIEnvGetStream((int32_t)args[0].v_int64,
                                                                (int32_t)args[1].v_int64));
}

static TVMFFIByteArray text_in(const TVMFFIAny* value) {
  TVMFFIByteArray text = {NULL, 0};
  if (value->type_index == kTVMFFISmallStr) {
    text.data = value->v_bytes;
    text.size = value->small_str_len;
  } else if (value->type_index == kTVMFFIStr) {
    text = *(const TVMFFIByteArray*)(value->v_obj + 1);
  }
  return text;
}

/* Raises an error with a kind, a message and a backtrace. */
EXPORT(fail) {
  TVMFFIByteArray kind = text_in(args), message = text_in(args + 1), backtrace = text_in(args + 2);
  TVMFFIObjectHandle error = NULL;
  UNUSED;
  if (TVMFFIErrorCreate(&kind, &message, &backtrace, &error) != 0) return -1;
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
  return -1;
}

EXPORT(fail_without_error) {
  UNUSED;
  return -1;
}

/* Calls the first argument with the others. */
EXPORT(call) {
  UNUSED;
  return TVMFFIFunctionCall(args[0].v_obj, (TVMFFIAny*)args + 1, n - 1, result);
}

/* Calls the first argument with NULL, as a borrowed value of the type given by the second. */
EXPORT(call_with_null) {
  TVMFFIAny argument;
  UNUSED;
  memset(&argument, 0, sizeof(argument));
  argument.type_index = (int32_t)args[1].v_int64;
  return TVMFFIFunctionCall(args[0].v_obj, &argument, 1, result);
}

/* Calls the first argument with a view of the second; an optional third one, an integer, is the
 * number of leading elements to skip, for which the tensor must be a vector. */
EXPORT(call_with_view) {
  DLTensor view;
  TVMFFIAny argument;
  int64_t shape[1];
  UNUSED;
  view = *tensor_in(args + 1);
  if (n == 3) {
    shape[0] = view.shape[0] - args[2].v_int64;
    view.data = (char*)view.data + args[2].v_int64 * (view.dtype.bits / 8);
    view.shape = shape;
  }
  memset(&argument, 0, sizeof(argument));
  argument.type_index = kTVMFFIDLTensorPtr;
  argument.v_ptr = &view;
  return TVMFFIFunctionCall(args[0].v_obj, &argument, 1, result);
}

/* Calls the first argument with a view of memory that does not outlive the call; the second
 * argument is its extent. */
EXPORT(call_with_view_of_own_memory) {
  float values[4] = {1, 2, 3, 4};
  int64_t shape[1];
  DLTensor view;
  TVMFFIAny argument;
  int code;
  UNUSED;
  shape[0] = args[1].v_int64;
  memset(&view, 0, sizeof(view));
  view.data = values;
  view.device.device_type = kDLCPU;
  view.ndim = 1;
  view.dtype.code = kDLFloat;
  view.dtype.bits = 32;
  view.dtype.lanes = 1;
  view.shape = shape;
  memset(&argument, 0, sizeof(argument));
  argument.type_index = kTVMFFIDLTensorPtr;
  argument.v_ptr = &view;
  code = TVMFFIFunctionCall(args[0].v_obj, &argument, 1, result);
  memset(values, 0, sizeof(values));
  return code;
}

/* Calls the first argument, adds a C frame to the backtrace of its error, and rethrows it. */
EXPORT(call_and_trace) {
  TVMFFIObjectHandle error = NULL;
  TVMFFIErrorCell* cell;
  TVMFFIByteArray line = {"  File \"middle.c\", line 7, in middle\n", 37};
  int code = TVMFFIFunctionCall(args[0].v_obj, NULL, 0, result);
  UNUSED;
  if (code != -1) return code;
  TVMFFIErrorMoveFromRaised(&error);
  cell = (TVMFFIErrorCell*)((TVMFFIObject*)error + 1);
  cell->update_backtrace(error, &line, kTVMFFIBacktraceUpdateModeAppend);
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
  return -1;
}

/* Calls the first argument and returns the kind of its error, which is discarded. */
EXPORT(kind_of_error) {
  TVMFFIObjectHandle error = NULL;
  TVMFFIErrorCell* cell;
  int code = TVMFFIFunctionCall(args[0].v_obj, NULL, 0, result);
  UNUSED;
  if (code == 0) return TVMFFIObjectDecRef(NULL);
  TVMFFIErrorMoveFromRaised(&error);
  cell = (TVMFFIErrorCell*)((TVMFFIObject*)error + 1);
  code = TVMFFIStringFromByteArray(&cell->kind, result);
  TVMFFIObjectDecRef(error);
  return code;
}

struct Call {
  TVMFFIObjectHandle function;
  TVMFFIAny result;
  int code;
};

static void* call_in_thread(void* data) {
  struct Call* call = (struct Call*)data;
  call->code = TVMFFIFunctionCall(call->function, NULL, 0, &call->result);
  return NULL;
}

/* Calls the first argument in a thread unknown to Python and waits for it. */
EXPORT(call_in_thread) {
  pthread_t thread;
  struct Call call;
  UNUSED;
  memset(&call, 0, sizeof(call));
  call.function = args[0].v_obj;
  pthread_create(&thread, NULL, call_in_thread, &call);
  pthread_join(thread, NULL);
  *result = call.result;
  return call.code;
}

/* Runs until the host has a signal to handle; exits the process with 3 after 10 seconds. */
EXPORT(wait_for_signal) {
  struct timespec pause = {0, 1000000};
  UNUSED;
  for (int i = 0; i < 10000; ++i) {
    int code = TVMFFIEnvCheckSignals();
    if (code != 0) return code;
    nanosleep(&pause, NULL);
  }
  _exit(3);
}

/* Waits for the integer at an address to become nonzero, with a timeout in ms; returns it. */
EXPORT(wait_for_change) {
  const volatile int64_t* flag = (const volatile int64_t*)(intptr_t)args[0].v_int64;
  struct timespec pause = {0, 1000000};
  UNUSED;
  for (int64_t i = 0; i < args[1].v_int64 && *flag == 0; ++i) nanosleep(&pause, NULL);
  return give_int(result, *flag);
}

/* A made-up framework: its tensors are on CUDA device 3, and it uses stream 77. */
static int64_t invented_shape[1] = {4};

static int invented_view(void* object, DLTensor* out) {
  (void)object;
  memset(out, 0, sizeof(*out));
  out->data = (void*)(intptr_t)4096;
  out->device.device_type = kDLCUDA;
  out->device.device_id = 3;
  out->ndim = 1;
  out->dtype.code = kDLFloat;
  out->dtype.bits = 32;
  out->dtype.lanes = 1;
  out->shape = invented_shape;
  out->byte_offset = 16;
  return 0;
}

static int invented_managed(void* object, DLManagedTensorVersioned** out) {
  static DLManagedTensorVersioned managed;
  memset(&managed, 0, sizeof(managed));
  managed.version.major = DLPACK_MAJOR_VERSION;
  *out = &managed;
  return invented_view(object, &managed.dl_tensor);
}

static int invented_allocator(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
                              void (*set_error)(void*, const char*, const char*)) {
  (void)prototype;
  (void)out;
  set_error(context, "ValueError", "this framework has no memory");
  return -1;
}

static int invented_import(DLManagedTensorVersioned* tensor, void** out) {
  (void)tensor;
  (void)out;
  return -1;
}

static int invented_stream(DLDeviceType type, int32_t id, void** out) {
  *out = (void*)(intptr_t)(type == kDLCUDA && id == 3 ? 77 : 0);
  return 0;
}

TVM_FFI_DLL_EXPORT const DLPackExchangeAPI invented_framework = {
    {{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, NULL},
    invented_allocator,
    invented_managed,
    invented_import,
    invented_view,
    invented_stream};
