// SPDX-License-Identifier: Apache-2.0
// Packs strings and bytes as arguments.
#include "conversion/pack_text.h"

#include <cstring>

#include "base/error.h"

namespace tvm_ffi_core {

namespace {

// Short strings and bytes are stored inline in the value; longer ones become an object.
int pack_characters(const Place& place, const char* data, Py_ssize_t size, bool is_str) {
  TVMFFIAny* out = place.out;
  if (size <= 7) {
    out->type_index = is_str ? kTVMFFISmallStr : kTVMFFISmallBytes;
    out->small_str_len = static_cast<uint32_t>(size);
    std::memcpy(out->v_bytes, data, static_cast<size_t>(size));
    return 0;
  }
  TVMFFIByteArray bytes{data, static_cast<size_t>(size)};
  int code =
      is_str ? TVMFFIStringFromByteArray(&bytes, out) : TVMFFIBytesFromByteArray(&bytes, out);
  if (code != 0) {
    set_python_error(code);
    return -1;
  }
  if (out->type_index >= kTVMFFIStaticObjectBegin) place.take(out->v_obj);
  return 0;
}

}  // namespace

int pack_str(const Place& place, PyObject* value, const Packer&) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(value, &size);
  return data != nullptr ? pack_characters(place, data, size, true) : -1;
}

int pack_bytes(const Place& place, PyObject* value, const Packer&) {
  return pack_characters(place, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value), false);
}

int pack_bytearray(const Place& place, PyObject* value, const Packer&) {
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) != 0) return -1;
  int code = pack_characters(place, static_cast<const char*>(view.buf), view.len, false);
  PyBuffer_Release(&view);
  return code;
}

}  // namespace tvm_ffi_core
