/* SPDX-License-Identifier: Apache-2.0 */
/* Uses every function of tensor_conversions.h; test_tensor_conversions.py builds and runs it. */
#include <stdio.h>
#include <stdlib.h>

#include "tensor_conversions.h"

#define EXPECT(condition)                                              \
  do {                                                                 \
    if (!(condition)) {                                                \
      fprintf(stderr, "line %d: expected %s\n", __LINE__, #condition); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

static int freed = 0;
static float data[6];
static int64_t shape[2] = {2, 3};

static void Free(DLManagedTensor* self) {
  (void)self;
  ++freed;
}

/* The number of strong references. */
static unsigned Count(TVMFFIObjectHandle object) {
  return (unsigned)(((TVMFFIObject*)object)->combined_ref_count & 0xffffffffu);
}

/* Overwrites a value, so that bytes left unwritten are noticed. */
static void Spoil(TVMFFIAny* value) { memset(value, 0xab, sizeof(*value)); }

static int IsSpoiled(const TVMFFIAny* value) {
  TVMFFIAny spoiled;
  Spoil(&spoiled);
  return memcmp(value, &spoiled, sizeof(spoiled)) == 0;
}

static void CheckOwned(TVMFFIObjectHandle tensor) {
  TVMFFIAny view, owner;
  TVMFFIObjectHandle second = NULL;
  DLTensor* lent = NULL;

  Spoil(&view);
  EXPECT(TensorToAnyView(tensor, &view) == SUCCESS);
  EXPECT(view.type_index == kTVMFFITensor && view.zero_padding == 0 && view.v_obj == tensor);
  EXPECT(Count(tensor) == 1);

  Spoil(&owner);
  EXPECT(TensorToAny(tensor, &owner) == SUCCESS);
  EXPECT(owner.type_index == kTVMFFITensor && owner.zero_padding == 0 && owner.v_obj == tensor);
  EXPECT(Count(tensor) == 2);

  EXPECT(AnyToDLTensorView(&owner, &lent) == SUCCESS);
  EXPECT(lent->data == data && lent->ndim == 2 && lent->shape[1] == 3);
  EXPECT(Count(tensor) == 2);

  EXPECT(AnyToOwnedTensor(&view, &second) == SUCCESS);
  EXPECT(second == tensor && Count(tensor) == 3);
  EXPECT(TVMFFIObjectDecRef(second) == 0);
  EXPECT(TVMFFIObjectDecRef(owner.v_obj) == 0);
  EXPECT(Count(tensor) == 1 && freed == 0);
}

static void CheckView(DLTensor* tensor) {
  TVMFFIAny view;
  TVMFFIObjectHandle owned = NULL;
  DLTensor* lent = NULL;

  Spoil(&view);
  EXPECT(DLTensorToAnyView(tensor, &view) == SUCCESS);
  EXPECT(view.type_index == kTVMFFIDLTensorPtr && view.zero_padding == 0 && view.v_ptr == tensor);
  EXPECT(AnyToDLTensorView(&view, &lent) == SUCCESS && lent == tensor);
  EXPECT(AnyToOwnedTensor(&view, &owned) == FAILURE && owned == NULL);
}

static void CheckFailures(TVMFFIObjectHandle tensor) {
  TVMFFIAny value, out;
  TVMFFIObjectHandle owned = NULL, raised = NULL, text;
  DLTensor* lent = NULL;
  TVMFFIByteArray bytes = {"a text on the heap", 18};

  memset(&value, 0, sizeof(value));
  value.type_index = kTVMFFIInt;
  value.v_int64 = 7;
  EXPECT(AnyToDLTensorView(&value, &lent) == FAILURE && lent == NULL);
  EXPECT(AnyToOwnedTensor(&value, &owned) == FAILURE && owned == NULL);
  EXPECT(AnyToDLTensorView(NULL, &lent) == FAILURE);
  EXPECT(AnyToOwnedTensor(NULL, &owned) == FAILURE);
  value.type_index = kTVMFFITensor;
  value.v_obj = NULL;
  EXPECT(AnyToDLTensorView(&value, &lent) == FAILURE && lent == NULL);
  EXPECT(AnyToOwnedTensor(&value, &owned) == FAILURE && owned == NULL);
  value.v_obj = (TVMFFIObject*)tensor;
  EXPECT(AnyToDLTensorView(&value, NULL) == FAILURE);
  EXPECT(AnyToOwnedTensor(&value, NULL) == FAILURE);

  Spoil(&out);
  EXPECT(TensorToAnyView(NULL, &out) == FAILURE && IsSpoiled(&out));
  EXPECT(TensorToAny(NULL, &out) == FAILURE && IsSpoiled(&out));
  EXPECT(DLTensorToAnyView(NULL, &out) == FAILURE && IsSpoiled(&out));
  EXPECT(TVMFFIStringFromByteArray(&bytes, &value) == 0);
  text = value.v_obj;
  EXPECT(TensorToAnyView(text, &out) == FAILURE && IsSpoiled(&out));
  EXPECT(TensorToAny(text, &out) == FAILURE && IsSpoiled(&out) && Count(text) == 1);
  EXPECT(TVMFFIObjectDecRef(text) == 0);
  EXPECT(TensorToAnyView(tensor, NULL) == FAILURE);
  EXPECT(TensorToAny(tensor, NULL) == FAILURE);
  EXPECT(DLTensorToAnyView((DLTensor*)((TVMFFIObject*)tensor + 1), NULL) == FAILURE);
  EXPECT(Count(tensor) == 1);
  TVMFFIErrorMoveFromRaised(&raised);
  EXPECT(raised == NULL);
}

int main(void) {
  DLManagedTensor managed;
  TVMFFIObjectHandle tensor = NULL;
  memset(&managed, 0, sizeof(managed));
  managed.dl_tensor.data = data;
  managed.dl_tensor.ndim = 2;
  managed.dl_tensor.shape = shape;
  managed.dl_tensor.device.device_type = kDLCPU;
  managed.dl_tensor.dtype.code = kDLFloat;
  managed.dl_tensor.dtype.bits = 32;
  managed.dl_tensor.dtype.lanes = 1;
  managed.deleter = Free;

  CheckView(&managed.dl_tensor);
  EXPECT(TVMFFITensorFromDLPack(&managed, 0, 0, &tensor) == 0);
  CheckOwned(tensor);
  CheckFailures(tensor);
  EXPECT(TVMFFIObjectDecRef(tensor) == 0);
  EXPECT(freed == 1);
  puts("every conversion is right");
  return 0;
}
