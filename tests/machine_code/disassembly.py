# SPDX-License-Identifier: Apache-2.0
"""Run nvcc and nvdisasm: the machine code of each kernel of a CUDA source."""

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
from sass import Code, Resources, functions_of, resources_of

FLAGS = ("-O3", "-std=c++17", "-Xptxas", "-v")
RETURN_TYPE = re.compile(r"^(?:void|[a-z]+) (?=[\w(])")
UNNAMED = "(anonymous namespace)::"


class CannotCompile(RuntimeError):
    """A compiler or a disassembler that refuses a source."""


def find_nvdisasm() -> str:
    """The disassembler's path: that of the PyPI wheel, or a toolkit's."""
    for folder in sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}):
        path = Path(folder) / "nvidia" / "cu13" / "bin" / "nvdisasm"
        if path.exists():
            return str(path)
    return "nvdisasm"


def run(command: list[str], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a tool; what it says is the error if it fails."""
    env = {**os.environ, **variables}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise CannotCompile(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done


def short_names(mangled: list[str]) -> dict[str, str]:
    """The names of kernels without return type, parameters and namespaces that have no name."""
    filtered = run(["c++filt", "-p", *mangled], {}).stdout.splitlines()
    names = (RETURN_TYPE.sub("", name.replace(UNNAMED, "")) for name in filtered)
    return dict(zip(mangled, names, strict=True))


def compiled(
    source: Path, include: Path, architecture: str, tools: dict[str, str]
) -> list[tuple[str, Code, Resources]]:
    """Each kernel of a source: its name, its code and its resources, in the order of names."""
    with tempfile.TemporaryDirectory(prefix="machine_code_") as folder:
        cubin = Path(folder) / "kernels.cubin"
        nvcc = [tools["NVCC"], "-cubin", f"-arch={architecture}", *FLAGS, f"-I{include}"]
        report = run([*nvcc, str(source), "-o", str(cubin)], tools).stderr
        # A source of host code alone makes an empty CUBIN.
        if not (resources := resources_of(report)):
            return []
        functions = functions_of(run([find_nvdisasm(), str(cubin)], {}).stdout)
    names = short_names([*functions])
    return sorted(
        ((names[mangled], code, resources[mangled]) for mangled, code in functions.items()),
        key=lambda found: found[0],
    )


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
