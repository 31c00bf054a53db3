# SPDX-License-Identifier: Apache-2.0
"""A Triton kernel in a library that needs no Triton, nor Python, where it runs."""

# [kernel.begin]
import triton
import triton.language as tl
import tvm_ffi


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    """Add two vectors."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    total = tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside)
    tl.store(out + i, total, mask=inside)


# [kernel.end]

BLOCK = 1024


# [compile.begin]
def compile_for(capability: int) -> triton.compiler.CompiledKernel:
    """Compile for GPUs of one compute capability, such as 90; none of them need be here."""
    floats, integer = ("x", "y", "out"), {"n": "i64", "BLOCK": "constexpr"}
    source = triton.compiler.ASTSource(
        fn=add,
        signature={**dict.fromkeys(floats, "*fp32"), **integer},
        constexprs={"BLOCK": BLOCK},
    )
    target = triton.backends.compiler.GPUTarget("cuda", capability, 32)
    return triton.compile(source, target=target, options={"num_warps": 4, "enable_fp_fusion": True})


# [compile.end]

# [launcher.begin]
LAUNCHER = """
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/extra/cuda/device_guard.h>

namespace ffi = tvm::ffi;

TVM_FFI_EMBED_CUBIN(triton_add);

// The offset is 0 where the runtime has added it to the address already.
static float* data_of(const ffi::TensorView& x) {{
  return reinterpret_cast<float*>(static_cast<char*>(x.data_ptr()) + x.byte_offset());
}}

static void check(const char* name, const ffi::TensorView& x, const ffi::TensorView& out) {{
  TVM_FFI_CHECK(x.device().device_type == kDLCUDA, ValueError)
      << "add: " << name << ": expected a CUDA tensor";
  TVM_FFI_CHECK(x.device().device_id == out.device().device_id, ValueError)
      << "add: " << name << ": expected a tensor on the device of out";
  TVM_FFI_CHECK(x.dtype().code == kDLFloat && x.dtype().bits == 32 && x.dtype().lanes == 1,
                TypeError)
      << "add: " << name << ": expected float32";
  TVM_FFI_CHECK(x.ndim() == 1 && x.IsContiguous() && x.size(0) == out.size(0), ValueError)
      << "add: " << name << ": expected a contiguous vector as long as out";
  const float *from = data_of(x), *to = data_of(out);
  TVM_FFI_CHECK(reinterpret_cast<uintptr_t>(from) % sizeof(float) == 0, ValueError)
      << "add: " << name << ": expected an address that is a multiple of " << sizeof(float);
  TVM_FFI_CHECK(from == to || from + x.size(0) <= to || to + out.size(0) <= from, ValueError)
      << "add: " << name << ": expected a vector apart from out, or out itself";
}}

void add(ffi::TensorView x, ffi::TensorView y, ffi::TensorView out) {{
  check("out", out, out);
  check("x", x, out);
  check("y", y, out);
  int64_t n = out.size(0);
  const int64_t blocks = (n + {block} - 1) / {block};
  if (n == 0) return;
  TVM_FFI_CHECK(blocks <= INT32_MAX, ValueError) << "add: out: expected fewer elements, got " << n;
  const DLDevice device = out.device();
  ffi::CUDADeviceGuard guard(device.device_id);
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(triton_add, "{name}");
  float *a = data_of(x), *b = data_of(y), *c = data_of(out);
  // Triton's own last two parameters: memory that this kernel does not ask for.
  void *scratch = nullptr, *profile = nullptr;
  void* arguments[] = {{&a, &b, &c, &n, &scratch, &profile}};
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(arguments, ffi::dim3(static_cast<unsigned>(blocks)), ffi::dim3({threads}),
                    stream, {shared}));
}}
"""


def build(capability: int) -> tvm_ffi.Module:
    """Compile the kernel, and put it into a library with a launcher of its own."""
    kernel = compile_for(capability)
    facts = kernel.metadata
    if facts.global_scratch_size or facts.profile_scratch_size:
        raise ValueError("build: add: expected a kernel that needs no scratch memory")
    text = LAUNCHER.format(
        name=facts.name, block=BLOCK, threads=32 * facts.num_warps, shared=facts.shared
    )
    return tvm_ffi.cpp.load_inline(
        "triton_add",
        cpp_sources=text,
        functions="add",
        embed_cubin={"triton_add": kernel.asm["cubin"]},
    )


# [launcher.end]
