/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the contents of values and objects with the inline functions of c_api.h; C99 and C++17. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

/* [describe.begin] */
static void Describe(TVMFFIObjectHandle object) {
  switch (TVMFFIObjectGetTypeIndex(object)) {
    case kTVMFFIStr:
      printf("a string: %s\n", TVMFFIBytesGetByteArrayPtr(object)->data);
      break;
    case kTVMFFIShape:
      printf("a shape: %d extents\n", (int)TVMFFIShapeGetCellPtr(object)->size);
      break;
    case kTVMFFITensor:
      printf("a tensor: %d axes\n", (int)TVMFFITensorGetDLTensorPtr(object)->ndim);
      break;
    case kTVMFFIError:
      printf("an error: %s\n", TVMFFIErrorGetCellPtr(object)->message.data);
      break;
    default:
      printf("an object of type %d\n", (int)TVMFFIObjectGetTypeIndex(object));
  }
}
/* [describe.end] */

static TVMFFIByteArray Text(const char* data) {
  TVMFFIByteArray text;
  text.data = data;
  text.size = strlen(data);
  return text;
}

static int HasText(TVMFFIByteArray found, const char* expected) {
  return found.size == strlen(expected) && memcmp(found.data, expected, found.size) == 0;
}

static void Bytes(void) {
  TVMFFIByteArray input = Text("seven b");
  TVMFFIAny value;
  memset(&value, 0, sizeof(value));
  assert(TVMFFIBytesFromByteArray(&input, &value) == 0);
  assert(value.type_index == kTVMFFISmallBytes);
  assert(TVMFFISmallBytesGetContentByteArray(&value).data == value.v_bytes);
  assert(HasText(TVMFFISmallBytesGetContentByteArray(&value), "seven b"));
  input = Text("");
  assert(TVMFFIStringFromByteArray(&input, &value) == 0);
  assert(TVMFFISmallBytesGetContentByteArray(&value).size == 0);
  input = Text("bytes on the heap");
  assert(TVMFFIBytesFromByteArray(&input, &value) == 0);
  assert(TVMFFIObjectGetTypeIndex(value.v_obj) == kTVMFFIBytes);
  assert(HasText(*TVMFFIBytesGetByteArrayPtr(value.v_obj), "bytes on the heap"));
  TVMFFIObjectDecRef(value.v_obj);
  input = Text("text on the heap");
  assert(TVMFFIStringFromByteArray(&input, &value) == 0);
  Describe(value.v_obj);
  TVMFFIObjectDecRef(value.v_obj);
}

/* No C function creates a shape. */
static void Shape(void) {
  static const int64_t extents[2] = {3, 5};
  struct {
    TVMFFIObject head;
    TVMFFIShapeCell contents;
  } shape;
  memset(&shape, 0, sizeof(shape));
  shape.head.type_index = kTVMFFIShape;
  shape.contents.data = extents;
  shape.contents.size = 2;
  assert(TVMFFIShapeGetCellPtr(&shape) == &shape.contents);
  assert(TVMFFIShapeGetCellPtr(&shape)->data[1] == 5);
  Describe(&shape);
}

static int Seven(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  (void)self, (void)args;
  result->type_index = kTVMFFIInt;
  result->v_int64 = 7 + num_args;
  return 0;
}

static void Function(void) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result;
  memset(&result, 0, sizeof(result));
  assert(TVMFFIFunctionCreate(NULL, Seven, NULL, &function) == 0);
  /* The cell's function is called with the object's address, as TVMFFIFunctionCall does. */
  assert(TVMFFIFunctionGetCellPtr(function)->safe_call(function, NULL, 0, &result) == 0);
  assert(result.v_int64 == 7);
  Describe(function);
  TVMFFIObjectDecRef(function);
}

static void Error(void) {
  TVMFFIByteArray kind = Text("ValueError"), message = Text("mine"), backtrace = Text("");
  TVMFFIObjectHandle error = NULL;
  assert(TVMFFIErrorCreate(&kind, &message, &backtrace, &error) == 0);
  assert(HasText(TVMFFIErrorGetCellPtr(error)->kind, "ValueError"));
  assert(HasText(TVMFFIErrorGetCellPtr(error)->message, "mine"));
  Describe(error);
  TVMFFIObjectDecRef(error);
}

static void Opaque(void) {
  static int foreign;
  TVMFFIObjectHandle opaque = NULL;
  assert(TVMFFIObjectCreateOpaque(&foreign, kTVMFFIOpaquePyObject, NULL, &opaque) == 0);
  assert(TVMFFIOpaqueObjectGetCellPtr(opaque)->handle == &foreign);
  Describe(opaque);
  TVMFFIObjectDecRef(opaque);
}

static void Keep(DLManagedTensor* self) { (void)self; }

static void Tensor(void) {
  static float elements[6];
  static int64_t shape[2] = {2, 3};
  static DLManagedTensor managed;
  TVMFFIObjectHandle tensor = NULL;
  managed.dl_tensor.data = elements;
  managed.dl_tensor.device = TVMFFIDLDeviceFromIntPair(kDLCPU, 0);
  managed.dl_tensor.ndim = 2;
  managed.dl_tensor.dtype.code = kDLFloat;
  managed.dl_tensor.dtype.bits = 32;
  managed.dl_tensor.dtype.lanes = 1;
  managed.dl_tensor.shape = shape;
  managed.deleter = Keep;
  assert(TVMFFITensorFromDLPack(&managed, 0, 0, &tensor) == 0);
  assert(TVMFFITensorGetDLTensorPtr(tensor)->data == elements);
  assert(TVMFFITensorGetDLTensorPtr(tensor)->shape[1] == 3);
  Describe(tensor);
  TVMFFIObjectDecRef(tensor);
}

static void Device(void) {
  DLDevice device = TVMFFIDLDeviceFromIntPair(kDLCUDA, 3);
  assert(device.device_type == kDLCUDA && device.device_id == 3);
}

int main(void) {
  Bytes();
  Shape();
  Function();
  Error();
  Opaque();
  Tensor();
  Device();
  return 0;
}
