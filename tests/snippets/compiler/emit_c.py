# SPDX-License-Identifier: Apache-2.0
"""A compiler that writes C: its kernels include only tvm/ffi/c_api.h from the library."""

import shlex
import subprocess
from pathlib import Path

import tvm_ffi
from expression import parse, to_c

# [template.begin]
KERNEL = """\
/* {doc} */
#include <tvm/ffi/c_api.h>

static int fail(const char* kind, const char* message) {{
  TVMFFIErrorSetRaisedFromCStr(kind, message); /* it copies the message */
  return -1;
}}

/* A vector of float32 on the CPU, without gaps. */
static int take(const TVMFFIAny* value, const char* message, const DLTensor** out) {{
  const DLTensor* x;
  if (value->type_index == kTVMFFIDLTensorPtr) {{
    x = (const DLTensor*)value->v_ptr;
  }} else if (value->type_index == kTVMFFITensor) {{
    x = (const DLTensor*)(value->v_obj + 1);
  }} else {{
    return fail("TypeError", message);
  }}
  *out = x;
  if (x->dtype.code != kDLFloat || x->dtype.bits != 32 || x->dtype.lanes != 1)
    return fail("TypeError", message);
  if (x->device.device_type != kDLCPU || x->ndim != 1) return fail("ValueError", message);
  if (x->strides != NULL && x->shape[0] > 1 && x->strides[0] != 1)
    return fail("ValueError", message);
  return 0;
}}

static float* data_of(const DLTensor* x) {{
  return (float*)((uintptr_t)x->data + (uintptr_t)x->byte_offset);
}}

TVM_FFI_DLL_EXPORT int __tvm_ffi_{name}(
    void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {{
  const DLTensor* tensors[{count}];
{pointers}
  int64_t i, n;
  (void)self;
  if (num_args != {count}) return fail("TypeError", "{name}: expected {count} arguments");
{takes}
  n = tensors[0]->shape[0];
  for (i = 1; i < {count}; ++i) {{
    if (tensors[i]->shape[0] != n)
      return fail("ValueError", "{name}: expected vectors of one length");
  }}
{reads}
  for (i = 0; i < n; ++i) out_[i] = {expression};
  result->type_index = kTVMFFINone;
  return 0;
}}
"""
# [template.end]

# [texts.begin]
TEXT = """
TVM_FFI_DLL_EXPORT int __tvm_ffi__{what}_{name}(
    void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {{
  const TVMFFIByteArray text = {{"{text}", {size}}};
  (void)self, (void)args, (void)num_args;
  return TVMFFIStringFromByteArray(&text, result);
}}
"""
# [texts.end]


# [emit.begin]
def emit(name: str, expression: str) -> str:
    """A C file with one function of the tensors, in the order of their names, and the output."""
    tree, inputs = parse(expression)
    names = [*inputs, "out"]
    expected = "a contiguous float32 vector on the CPU"
    doc = f"{name}({', '.join(names)}): out = {expression}"
    kernel = KERNEL.format(
        doc=doc,
        name=name,
        count=len(names),
        pointers="\n".join(f"  float* {each}_;" for each in names),
        expression=to_c(tree),
        takes="\n".join(
            f'  if (take(&args[{i}], "{name}: {each}: expected {expected}", &tensors[{i}]) != 0)\n'
            "    return -1;"
            for i, each in enumerate(names)
        ),
        reads="\n".join(f"  {each}_ = data_of(tensors[{i}]);" for i, each in enumerate(names)),
    )
    texts = {"doc": doc, "arg_names": ",".join(names)}
    return kernel + "".join(
        TEXT.format(what=what, name=name, text=text, size=len(text)) for what, text in texts.items()
    )


# [emit.end]


# [build.begin]
def build(name: str, expression: str, folder: Path) -> tvm_ffi.Module:
    """Write the C file, compile it, and load the library."""
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(emit(name, expression))
    asked = ["tvm-ffi-config", "--cflags", "--ldflags", "--libs"]
    flags = shlex.split(subprocess.check_output(asked, text=True))
    command = ["cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*command, source, "-o", library, *flags], check=True)
    return tvm_ffi.load_module(library)


# [build.end]
