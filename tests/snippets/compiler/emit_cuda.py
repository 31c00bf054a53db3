# SPDX-License-Identifier: Apache-2.0
"""A compiler that writes CUDA C++, which NVIDIA's compiler compiles to GPU code."""

import subprocess
from pathlib import Path

from expression import parse, to_c

# [emit.begin]
KERNEL = """\
extern "C" __global__ void {name}({parameters}, float* out_, long long n) {{
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    out_[i] = {expression};
}}
"""


def emit(name: str, expression: str) -> str:
    """A CUDA file with one kernel, under its plain name."""
    tree, inputs = parse(expression)
    parameters = ", ".join(f"const float* {each}_" for each in inputs)
    return KERNEL.format(name=name, parameters=parameters, expression=to_c(tree))


def compile_for(architecture: str, name: str, expression: str, folder: Path, nvcc: str) -> bytes:
    """The GPU code for one architecture, as the driver's cuModuleLoadData takes it."""
    source, cubin = folder / f"{name}.cu", folder / f"{name}.cubin"
    source.write_text(emit(name, expression))
    command = [nvcc, "-cubin", f"-arch={architecture}", str(source), "-o", str(cubin)]
    subprocess.run(command, check=True)
    return cubin.read_bytes()


# [emit.end]
