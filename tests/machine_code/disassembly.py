# SPDX-License-Identifier: Apache-2.0
"""Run nvcc, cuobjdump and nvdisasm: the machine code of each kernel of a source or a library."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
import tempfile
from dataclasses import asdict
from pathlib import Path

from facts import Facts
from loops import memory_loops
from sass import Code, Resources, functions_of, resources_of, usage_of

FLAGS = ("-O3", "-std=c++17", "-Xptxas", "-v")
RETURN_TYPE = re.compile(r"^(?:void|[a-z]+) (?=[\w(])")
UNNAMED = "(anonymous namespace)::"
Kernels = list[tuple[str, Code, Resources]]  # each kernel's name, code and resources
# A source for one architecture, or for one with architecture-specific features: gemm_sm90a.cu.
FOR_ONE = re.compile(r"_(sm)(\d+)(a?)\.cu$")


class CannotCompile(RuntimeError):
    """A compiler or a disassembler that refuses a source."""


def find_tool(name: str) -> str:
    """The path of nvdisasm or cuobjdump: that of the PyPI wheel, or a toolkit's."""
    for folder in sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}):
        path = Path(folder) / "nvidia" / "cu13" / "bin" / name
        if path.exists():
            return str(path)
    return name


def cutlass_flags(source: Path) -> list[str]:
    """What a source that includes CUTLASS is compiled with, as its build script does it."""
    if "#include <cutlass/" not in source.read_text():
        return []
    wheel = Path(sysconfig.get_path("purelib"), "cutlass_library", "source")
    folder = Path(os.environ.get("CUTLASS_PATH", wheel))
    return ["-DNDEBUG", "-isystem", str(folder / "include")]


def target_of(source: Path, architecture: str) -> str:
    """What a source is compiled for on an architecture; an empty string if it is for others."""
    one = FOR_ONE.search(source.name)
    if one is None:
        return architecture
    return f"{one[1]}_{one[2]}{one[3]}" if architecture == f"{one[1]}_{one[2]}" else ""


def run(
    command: list[str], variables: dict[str, str], folder: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a tool; what it says is the error if it fails."""
    env = {**os.environ, **variables}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, cwd=folder)
    if done.returncode:
        raise CannotCompile(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done


def short_names(mangled: list[str]) -> dict[str, str]:
    """The names of kernels without return type, parameters and namespaces that have no name."""
    filtered = run(["c++filt", "-p", *mangled], {}).stdout.splitlines()
    names = (RETURN_TYPE.sub("", name.replace(UNNAMED, "")) for name in filtered)
    return dict(zip(mangled, names, strict=True))


def kernels_in(cubin: Path, resources: dict[str, Resources]) -> Kernels:
    """Each kernel of a CUBIN, in the order of names."""
    functions = functions_of(run([find_tool("nvdisasm"), str(cubin)], {}).stdout)
    names = short_names([*functions])
    return sorted(
        ((names[mangled], code, resources[mangled]) for mangled, code in functions.items()),
        key=lambda found: found[0],
    )


def compiled(source: Path, include: Path, architecture: str, tools: dict[str, str]) -> Kernels:
    """Each kernel of a source, in the order of names."""
    if not (target := target_of(source, architecture)):
        return []
    with tempfile.TemporaryDirectory(prefix="machine_code_") as folder:
        cubin = Path(folder) / "kernels.cubin"
        nvcc = [tools["NVCC"], "-cubin", f"-arch={target}", *FLAGS, f"-I{include}"]
        nvcc += cutlass_flags(source)
        report = run([*nvcc, str(source), "-o", str(cubin)], tools).stderr
        # A source with only host code yields an empty CUBIN.
        resources = resources_of(report)
        return kernels_in(cubin, resources) if resources else []


def contained(library: Path, architecture: str) -> Kernels | None:
    """Each kernel of a library, in the order of its sources and of names.

    None if it does not tell all of them: its sources must be compiled. That is so if it has nothing
    for the architecture, or if one has a stack, of which only ptxas says how much is spilled.
    """
    found: Kernels = []
    cuobjdump = find_tool("cuobjdump")
    with tempfile.TemporaryDirectory(prefix="machine_code_") as folder:
        # Extracting sm_90 code includes sm_90a code.
        run([cuobjdump, "-arch", architecture, "-xelf", "all", str(library)], {}, folder)
        cubins = sorted(Path(folder).iterdir(), key=lambda path: (len(path.name), path.name))
        for cubin in cubins:
            report = run([cuobjdump, "-res-usage", str(cubin)], {}).stdout
            resources = usage_of(report, architecture)
            if resources is None:
                return None
            found += kernels_in(cubin, resources) if resources else []
    return found if cubins else None


def listing_of(name: str, code: Code, facts: Facts) -> str:
    """The instructions of one kernel below its facts; a bar marks the loops that move data."""
    loops = memory_loops(code)
    values = asdict(facts)
    step = values.pop("step")
    units = step.pop("units")
    said = {**values, **{f"step, {part}": value for part, value in {**step, **units}.items()}}
    lines = [name, *(f"    {fact}: {value}" for fact, value in said.items() if value != ""), ""]
    labels = {address: label for label, address in code.labels.items()}
    for each in code.instructions:
        if each.address in labels:
            lines.append(f"{labels[each.address]}:")
        mark = "|" if any(loop.first <= each.address <= loop.last for loop in loops) else " "
        guard = f"@{each.guard} " if each.guard else ""
        lines.append(f"{mark} {each.address:04x}  {guard}{each.opcode} {each.operands}".rstrip())
    return "\n".join([*lines, "", ""])
