/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the kernel in C and its CUDA twin: reads and checks the arguments
 * of scale(x, y, factor), through the C ABI only. It is C99 and C++. */
#ifndef C_ABI_ARGUMENTS_H_
#define C_ABI_ARGUMENTS_H_

/* [includes.begin] */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c_api.h>
/* [includes.end] */

#define MAX_DIMS 64 /* as many as NumPy and PyTorch allow */

/* [fail.begin] */
/* Raises "scale: y must be on the CPU, got cuda:0", and returns the value that
 * signals failure. The error copies the message. */
static int fail(const char* kind, const char* name, const char* expected,
                const char* got) {
  char message[1024];
  snprintf(message, sizeof(message), "scale: %s must be %s, got %s", name,
           expected, got);
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}
/* [fail.end] */

/* [tensor_in.begin] */
/* The tensor that a value holds, owned or not; NULL if it holds none. */
static const DLTensor* tensor_in(const TVMFFIAny* value) {
  if (value->type_index == kTVMFFIDLTensorPtr)
    return (const DLTensor*)value->v_ptr;
  if (value->type_index == kTVMFFITensor) /* It follows the object header. */
    return (const DLTensor*)(value->v_obj + 1);
  return NULL;
}
/* [tensor_in.end] */

/* [fields.begin] */
/* The data may start after the address. Added as integers: an empty tensor
 * may have no address, and C forbids adding even 0 to a null pointer. */
static char* data_of(const DLTensor* tensor) {
  return (char*)((uintptr_t)tensor->data + (uintptr_t)tensor->byte_offset);
}

static int64_t numel(const DLTensor* tensor) {
  int64_t n = 1;
  int32_t i;
  for (i = 0; i < tensor->ndim; ++i) n *= tensor->shape[i];
  return n; /* 1 without dimensions, 0 if one of them is empty */
}

/* A tensor without strides is contiguous. The stride of a dimension of size 1,
 * and all strides of an empty tensor, are meaningless. */
static int is_contiguous(const DLTensor* tensor) {
  int64_t expected = 1;
  int32_t i;
  if (tensor->strides == NULL || numel(tensor) == 0) return 1;
  for (i = tensor->ndim - 1; i >= 0; --i) {
    if (tensor->shape[i] != 1 && tensor->strides[i] != expected) return 0;
    expected *= tensor->shape[i];
  }
  return 1;
}
/* [fields.end] */

/* [layout.begin] */
/* Sizes and strides in elements, outermost first; at least one dimension.
 * Adjacent dimensions that form one uniform stride are merged, so that a
 * contiguous tensor has one. */
typedef struct {
  int32_t ndim;
  int64_t shape[MAX_DIMS];
  int64_t strides[MAX_DIMS];
} Layout;

static Layout layout_of(const DLTensor* tensor) {
  Layout layout;
  int32_t i;
  layout.ndim = 1;
  layout.shape[0] = 1;
  layout.strides[0] = 1;
  if (is_contiguous(tensor)) {
    layout.shape[0] = numel(tensor);
    return layout;
  }
  for (i = 0; i < tensor->ndim; ++i) {
    const int64_t extent = tensor->shape[i];
    const int64_t stride = tensor->strides[i];
    const int32_t last = layout.ndim - 1;
    if (extent == 1) continue;
    if (layout.shape[last] == 1 || layout.strides[last] == extent * stride) {
      layout.shape[last] *= extent;
      layout.strides[last] = stride;
    } else {
      layout.shape[layout.ndim] = extent;
      layout.strides[layout.ndim] = stride;
      ++layout.ndim;
    }
  }
  return layout;
}
/* [layout.end] */

/* Text for messages, written to a buffer. */
static void shape_text(const DLTensor* tensor, char* text, size_t size) {
  size_t used = 1;
  int32_t i;
  snprintf(text, size, "(");
  for (i = 0; i < tensor->ndim && used < size; ++i) {
    used +=
        (size_t)snprintf(text + used, size - used, i == 0 ? "%lld" : ", %lld",
                         (long long)tensor->shape[i]);
  }
  if (used < size)
    snprintf(text + used, size - used, tensor->ndim == 1 ? ",)" : ")");
}

static void device_text(DLDevice device, char* text, size_t size) {
  const char* const names[] = {NULL, "cpu", "cuda"}; /* kDLCPU is 1 */
  const int type = (int)device.device_type;
  if (type == 1 || type == 2) {
    snprintf(text, size, "%s:%d", names[type], (int)device.device_id);
  } else {
    snprintf(text, size, "device type %d:%d", type, (int)device.device_id);
  }
}

/* The library names dtypes: "float32". The name is an owned string. */
static void dtype_text(DLDataType dtype, char* text, size_t size) {
  TVMFFIAny name;
  memset(&name, 0, sizeof(name));
  snprintf(text, size, "another dtype");
  if (TVMFFIDataTypeToString(&dtype, &name) != 0) return;
  if (name.type_index == kTVMFFISmallStr) {
    snprintf(text, size, "%.7s", name.v_bytes);
  } else if (name.type_index == kTVMFFIStr) {
    snprintf(text, size, "%s",
             ((const TVMFFIByteArray*)(name.v_obj + 1))->data);
    TVMFFIObjectDecRef(name.v_obj);
  }
}

static int is_float(DLDataType dtype, int bits) {
  return dtype.code == kDLFloat && dtype.bits == bits && dtype.lanes == 1;
}

/* The address range of all elements: [*first, *last). */
static void byte_range(const DLTensor* tensor, uintptr_t* first,
                       uintptr_t* last) {
  const int64_t item = tensor->dtype.bits / 8;
  int64_t low = 0;
  int64_t high = 0;
  int32_t i;
  const Layout layout = layout_of(tensor);
  for (i = 0; i < layout.ndim; ++i) {
    const int64_t reach = (layout.shape[i] - 1) * layout.strides[i];
    if (reach < 0)
      low += reach;
    else
      high += reach;
  }
  *first = (uintptr_t)(data_of(tensor) + low * item);
  *last = (uintptr_t)(data_of(tensor) + (high + 1) * item);
}

/* [checks.begin] */
static int check_alike(const DLTensor* x, const DLTensor* y) {
  char expected[512];
  char got[256];
  int32_t i;
  int same = x->ndim == y->ndim;
  if (x->device.device_type != y->device.device_type ||
      x->device.device_id != y->device.device_id) {
    device_text(x->device, got, sizeof(got));
    snprintf(expected, sizeof(expected), "on %s like x", got);
    device_text(y->device, got, sizeof(got));
    return fail("ValueError", "y", expected, got);
  }
  if (!is_float(y->dtype, x->dtype.bits)) {
    snprintf(expected, sizeof(expected), "float%d like x", (int)x->dtype.bits);
    dtype_text(y->dtype, got, sizeof(got));
    return fail("TypeError", "y", expected, got);
  }
  for (i = 0; same && i < x->ndim; ++i) same = x->shape[i] == y->shape[i];
  if (!same) {
    shape_text(x, got, sizeof(got));
    snprintf(expected, sizeof(expected), "of shape %s like x", got);
    shape_text(y, got, sizeof(got));
    return fail("ValueError", "y", expected, got);
  }
  return 0;
}

/* Writing y must not change elements of x that are yet to be read. */
static int check_apart(const DLTensor* x, const DLTensor* y) {
  uintptr_t x_first, x_last, y_first, y_last;
  if (numel(x) == 0) return 0;
  if (data_of(x) == data_of(y) && is_contiguous(x)) return 0;
  byte_range(x, &x_first, &x_last);
  byte_range(y, &y_first, &y_last);
  if (x_last <= y_first || y_last <= x_first) return 0;
  return fail("ValueError", "y", "the same tensor as x or apart from it",
              "overlapping ranges");
}
/* [checks.end] */

/* [arguments.begin] */
typedef struct {
  const DLTensor* x;
  const DLTensor* y;
  double factor;
} Arguments;

/* Reads scale(x, y, factor) for a device type: returns 0, or -1 with an error
 * raised. */
static int read_arguments(const TVMFFIAny* args, int32_t num_args,
                          int32_t device_type, Arguments* out) {
  char got[256];
  const DLTensor* tensors[2];
  int i;
  if (num_args != 3) {
    snprintf(got, sizeof(got), "%d", (int)num_args);
    return fail("TypeError", "the number of arguments", "3", got);
  }
  for (i = 0; i < 2; ++i) {
    tensors[i] = tensor_in(&args[i]);
    if (tensors[i] == NULL) {
      return fail("TypeError", i == 0 ? "x" : "y", "a tensor",
                  "something else");
    }
  }
  out->x = tensors[0];
  out->y = tensors[1];
  if (args[2].type_index == kTVMFFIFloat) {
    out->factor = args[2].v_float64;
  } else if (args[2].type_index == kTVMFFIInt) {
    out->factor = (double)args[2].v_int64;
  } else {
    return fail("TypeError", "factor", "a number", "something else");
  }
  if ((int32_t)out->x->device.device_type != device_type) {
    device_text(out->x->device, got, sizeof(got));
    return fail("ValueError", "x",
                device_type == kDLCPU ? "on the CPU" : "on a CUDA device", got);
  }
  if (!is_float(out->x->dtype, 32) && !is_float(out->x->dtype, 64)) {
    dtype_text(out->x->dtype, got, sizeof(got));
    return fail("TypeError", "x", "float32 or float64", got);
  }
  if (out->x->ndim > MAX_DIMS) {
    snprintf(got, sizeof(got), "%d", (int)out->x->ndim);
    return fail("ValueError", "x", "of at most 64 dimensions", got);
  }
  if (check_alike(out->x, out->y) != 0) return -1;
  if (!is_contiguous(out->y))
    return fail("ValueError", "y", "contiguous", "other strides");
  for (i = 0; i < 2; ++i) {
    const uintptr_t item = tensors[i]->dtype.bits / 8;
    if ((uintptr_t)data_of(tensors[i]) % item != 0) {
      return fail("ValueError", i == 0 ? "x" : "y", "aligned to its items",
                  "another address");
    }
  }
  return check_apart(out->x, out->y);
}
/* [arguments.end] */

#endif /* C_ABI_ARGUMENTS_H_ */
