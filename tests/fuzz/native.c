// SPDX-License-Identifier: Apache-2.0
// Deleters of hand-made DLPack producers: they count, poison the memory, and do not need the GIL.
#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Python's own functions, resolved in the process that loads this library.
extern int PyCapsule_IsValid(void* capsule, const char* name);
extern void* PyCapsule_GetPointer(void* capsule, const char* name);

typedef struct {
  int64_t released;
  unsigned char* memory;
  int64_t size;      // in bytes
  int64_t* numbers;  // shape and strides
  int64_t count;
} Record;

static void Release(void* context) {
  Record* record = (Record*)context;
  __atomic_add_fetch(&record->released, 1, __ATOMIC_SEQ_CST);
  memset(record->memory, 0xDD, (size_t)record->size);
  for (int64_t i = 0; i < record->count; ++i) record->numbers[i] = -7777;
}

void fuzz_delete(DLManagedTensor* managed) { Release(managed->manager_ctx); }

void fuzz_delete_versioned(DLManagedTensorVersioned* managed) { Release(managed->manager_ctx); }

// Releases a tensor that was never consumed, as DLPack requires of the capsule's producer.
void fuzz_destroy_capsule(void* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    DLManagedTensor* managed = (DLManagedTensor*)PyCapsule_GetPointer(capsule, "dltensor");
    if (managed->deleter != NULL) managed->deleter(managed);
  } else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    DLManagedTensorVersioned* managed =
        (DLManagedTensorVersioned*)PyCapsule_GetPointer(capsule, "dltensor_versioned");
    if (managed->deleter != NULL) managed->deleter(managed);
  }
}

// The functions of a DLPackExchangeAPI: Python creates the tensor, in fuzz_make, and errors are set
// from C.
extern void* PyExc_KeyError;
extern void PyErr_SetString(void* type, const char* message);

void* (*fuzz_make)(void* object, int view) = NULL;

static int Fail(void) {
  PyErr_SetString(PyExc_KeyError, "the table's function has no tensor");
  return -1;
}

static int FromObject(void* object, DLManagedTensorVersioned** out) {
  *out = (DLManagedTensorVersioned*)fuzz_make(object, 0);
  return *out == NULL ? Fail() : 0;
}

static int View(void* object, DLTensor* out) {
  DLTensor* made = (DLTensor*)fuzz_make(object, 1);
  if (made == NULL) return Fail();
  *out = *made;
  return 0;
}

// Takes ownership even on failure: DLPack does not specify the owner then, and the package leaks
// a tensor rather than free it twice.
static int ToObject(DLManagedTensorVersioned* tensor, void** out) {
  (void)out;
  if (tensor->deleter != NULL) tensor->deleter(tensor);
  return Fail();
}

static int Allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
                    void (*set_error)(void*, const char*, const char*)) {
  (void)prototype, (void)out;
  set_error(context, "MemoryError", "the table makes none");
  return -1;
}

static int Stream(DLDeviceType type, int32_t id, void** out) {
  (void)type, (void)id;
  *out = NULL;
  return 0;
}

void fuzz_fill_table(DLPackExchangeAPI* table, int has_view) {
  table->managed_tensor_allocator = Allocate;
  table->managed_tensor_from_py_object_no_sync = FromObject;
  table->managed_tensor_to_py_object_no_sync = ToObject;
  table->dltensor_from_py_object_no_sync = has_view ? View : NULL;
  table->current_work_stream = Stream;
}
