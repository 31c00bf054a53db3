/* SPDX-License-Identifier: Apache-2.0 */
/* The C examples of the ABI overview: values, objects, texts, functions. Each checks itself. */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

static void Values(void) {
  /* [values.begin] */
  TVMFFIAny number = {0}; /* all 16 bytes: unused ones are 0 */
  TVMFFIAny yes = {0};
  TVMFFIAny none = {0};
  number.type_index = kTVMFFIFloat;
  number.v_float64 = 2.5;
  yes.type_index = kTVMFFIBool;
  yes.v_int64 = 1;
  none.type_index = kTVMFFINone;
  /* [values.end] */
  assert(number.v_float64 == 2.5 && yes.v_int64 == 1 && none.v_int64 == 0);
}

/* [read_text.begin] */
/* The bytes of a string, in whichever of its three forms. */
static TVMFFIByteArray TextIn(const TVMFFIAny* value) {
  TVMFFIByteArray text = {NULL, 0};
  switch (value->type_index) {
    case kTVMFFIRawStr: /* borrowed for the call */
      text.data = value->v_c_str;
      text.size = strlen(value->v_c_str);
      break;
    case kTVMFFISmallStr: /* up to 7 bytes, in the value itself */
      text.data = value->v_bytes;
      text.size = value->small_str_len;
      break;
    case kTVMFFIStr: /* an object: the address and the size follow its header */
      text = *(const TVMFFIByteArray*)(value->v_obj + 1);
      break;
    default:
      break;
  }
  return text;
}
/* [read_text.end] */

static void Texts(void) {
  const char* texts[] = {"", "short", "a text on the heap"};
  size_t i;
  for (i = 0; i < 3; ++i) {
    TVMFFIByteArray input, text;
    TVMFFIAny value = {0}, lent = {0};
    input.data = texts[i];
    input.size = strlen(texts[i]);
    assert(TVMFFIStringFromByteArray(&input, &value) == 0);
    text = TextIn(&value);
    assert(text.size == input.size && memcmp(text.data, texts[i], text.size + 1) == 0);
    lent.type_index = kTVMFFIRawStr;
    lent.v_c_str = texts[i];
    assert(TextIn(&lent).data == texts[i] && TextIn(&lent).size == input.size);
    if (value.type_index >= kTVMFFIStaticObjectBegin) assert(TVMFFIObjectDecRef(value.v_obj) == 0);
    lent.type_index = kTVMFFIInt;
    assert(TextIn(&lent).data == NULL);
  }
}

/* [count.begin] */
/* Releases what an owned value holds: numbers and small strings hold nothing. */
static void Release(TVMFFIAny* owned) {
  if (owned->type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(owned->v_obj);
  memset(owned, 0, sizeof(*owned));
}
/* [count.end] */

static int Multiply(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  if (num_args != 1 || args[0].type_index != kTVMFFIInt) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "multiply: n: expected an int");
    return -1;
  }
  result->type_index = kTVMFFIInt;
  result->v_int64 = args[0].v_int64 * *(const int64_t*)self;
  return 0;
}

static int deleted = 0;

static void CountDeletion(void* self) {
  (void)self;
  ++deleted;
}

static int Functions(void) {
  static int64_t factor = 7;
  /* [call.begin] */
  TVMFFIByteArray name = {"tour.multiply", 13};
  TVMFFIObjectHandle made = NULL, found = NULL;
  TVMFFIAny args[1] = {{0}}, result = {0};
  int code;

  /* Register a function with state, here the address of `factor`. */
  if (TVMFFIFunctionCreate(&factor, Multiply, CountDeletion, &made) != 0) return -1;
  code = TVMFFIFunctionSetGlobal(&name, made, 0);
  TVMFFIObjectDecRef(made); /* the table, if it took the function, has its own reference */
  if (code != 0) return -1;

  /* Anyone in the process can find it by name and call it. */
  if (TVMFFIFunctionGetGlobal(&name, &found) != 0 || found == NULL) return -1;
  args[0].type_index = kTVMFFIInt;
  args[0].v_int64 = 6;
  code = TVMFFIFunctionCall(found, args, 1, &result);
  TVMFFIObjectDecRef(found);
  if (code != 0) return -1;
  printf("6 * 7 = %d\n", (int)result.v_int64);
  /* [call.end] */
  assert(result.type_index == kTVMFFIInt);
  Release(&result);
  assert(result.type_index == kTVMFFINone);
  return 0;
}

static void Version(void) {
  /* [version.begin] */
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  printf("ABI %d.%d.%d\n", (int)version.major, (int)version.minor, (int)version.patch);
  /* [version.end] */
  /* [header_version.begin] */
  printf("compiled for ABI %d.%d.%d\n", TVM_FFI_VERSION_MAJOR, TVM_FFI_VERSION_MINOR,
         TVM_FFI_VERSION_PATCH);
  /* [header_version.end] */
}

int main(void) {
  Values();
  Texts();
  assert(Functions() == 0 && deleted == 0);
  assert(Functions() == -1 && deleted == 1); /* the name is taken: the new function is destroyed */
  Version();
  return 0;
}
