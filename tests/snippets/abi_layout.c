/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the offsets of the fields of the structs that cross the ABI, as this header declares. */
#include <stddef.h>
#include <stdio.h>
#include <tvm/ffi/c_api.h>

#define STRUCT(type) printf("%s: %d bytes\n", #type, (int)sizeof(type))
#define FIELD(type, field) \
  printf("  %2d  %2d  %s\n", (int)offsetof(type, field), (int)sizeof(((type*)0)->field), #field)

int main(void) {
  puts("offset, size, field\n");
  STRUCT(TVMFFIAny);
  FIELD(TVMFFIAny, type_index);
  FIELD(TVMFFIAny, zero_padding);
  FIELD(TVMFFIAny, small_str_len);
  FIELD(TVMFFIAny, v_int64);
  FIELD(TVMFFIAny, v_float64);
  FIELD(TVMFFIAny, v_ptr);
  FIELD(TVMFFIAny, v_c_str);
  FIELD(TVMFFIAny, v_obj);
  FIELD(TVMFFIAny, v_dtype);
  FIELD(TVMFFIAny, v_device);
  FIELD(TVMFFIAny, v_bytes);
  STRUCT(TVMFFIObject);
  FIELD(TVMFFIObject, combined_ref_count);
  FIELD(TVMFFIObject, type_index);
  FIELD(TVMFFIObject, deleter);
  STRUCT(TVMFFIByteArray);
  FIELD(TVMFFIByteArray, data);
  FIELD(TVMFFIByteArray, size);
  STRUCT(TVMFFIShapeCell);
  FIELD(TVMFFIShapeCell, data);
  FIELD(TVMFFIShapeCell, size);
  STRUCT(TVMFFISeqCell);
  FIELD(TVMFFISeqCell, data);
  FIELD(TVMFFISeqCell, size);
  FIELD(TVMFFISeqCell, capacity);
  FIELD(TVMFFISeqCell, data_deleter);
  STRUCT(TVMFFIFunctionCell);
  FIELD(TVMFFIFunctionCell, safe_call);
  FIELD(TVMFFIFunctionCell, cpp_call);
  STRUCT(TVMFFIErrorCell);
  FIELD(TVMFFIErrorCell, kind);
  FIELD(TVMFFIErrorCell, message);
  FIELD(TVMFFIErrorCell, backtrace);
  FIELD(TVMFFIErrorCell, update_backtrace);
  FIELD(TVMFFIErrorCell, cause_chain);
  FIELD(TVMFFIErrorCell, extra_context);
  STRUCT(DLTensor);
  FIELD(DLTensor, data);
  FIELD(DLTensor, device);
  FIELD(DLTensor, ndim);
  FIELD(DLTensor, dtype);
  FIELD(DLTensor, shape);
  FIELD(DLTensor, strides);
  FIELD(DLTensor, byte_offset);
  STRUCT(DLDevice);
  FIELD(DLDevice, device_type);
  FIELD(DLDevice, device_id);
  STRUCT(DLDataType);
  FIELD(DLDataType, code);
  FIELD(DLDataType, bits);
  FIELD(DLDataType, lanes);
  return 0;
}
