# SPDX-License-Identifier: Apache-2.0
"""Compile the examples' CUDA sources and check their machine code: machine_code.py [EXAMPLE...].

No GPU takes part. nvcc makes a CUBIN for each architecture and nvdisasm shows its instructions.
What an example's file in ``expected`` asks for and its machine code lacks is a failure.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "docs"))

# Below the folder that was just named:
from _verify.closure import digest, tree_digest  # noqa: E402
from _verify.machine_code_record import COLUMNS, listing_path, rows_of, write_record  # noqa: E402
from _verify.tools import answer, find_nvcc  # noqa: E402
from expectations import WrongExpectations, broken, expectations_of, false_claims  # noqa: E402
from facts import ARCHITECTURES, Facts, facts_of, memory_loops  # noqa: E402
from sass import Code, functions_of, resources_of  # noqa: E402

EXAMPLES = ROOT / "examples" / "kernel_library"
BUILD = ROOT / "build"
FLAGS = ["-O3", "-std=c++17", f"-I{ROOT / 'include'}", "-Xptxas", "-v"]
# What is not compiled, with the reason.
LEFT_OUT = {"nvshmem_allocator.cu": "it has no kernel, and needs NVSHMEM"}
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


def run(command: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a tool; what it says is the error if it fails."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **env}
    )
    if done.returncode:
        raise CannotCompile(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done


def short_names(mangled: list[str]) -> dict[str, str]:
    """The names of kernels without return type, parameters and namespaces that have no name."""
    filtered = subprocess.run(
        ["c++filt", "-p", *mangled], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    names = (RETURN_TYPE.sub("", name.replace(UNNAMED, "")) for name in filtered)
    return dict(zip(mangled, names, strict=True))


def listing_of(name: str, code: Code, facts: Facts) -> str:
    """The disassembly of one kernel; the loops that move most data are marked."""
    loops = memory_loops(code)
    lines = [f"{name}", *(f"    {fact}: {value:g}" for fact, value in asdict(facts).items()), ""]
    labels = {address: label for label, address in code.labels.items()}
    for each in code.instructions:
        if each.address in labels:
            lines.append(f"{labels[each.address]}:")
        mark = "|" if any(loop.first <= each.address <= loop.last for loop in loops) else " "
        guard = f"@{each.guard} " if each.guard else ""
        lines.append(f"{mark} {each.address:04x}  {guard}{each.opcode} {each.operands}".rstrip())
    return "\n".join([*lines, "", ""])


def compiled(source: Path, architecture: str, tools: dict[str, str]) -> list[tuple[str, Code, Any]]:
    """Each kernel of a source: its name, its code and its resources, in the order of names."""
    with tempfile.TemporaryDirectory(prefix="machine_code_") as folder:
        cubin = Path(folder) / "kernels.cubin"
        nvcc = [tools["NVCC"], "-cubin", f"-arch={architecture}", *FLAGS]
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


def examine(example: str, architecture: str, tools: dict[str, str]) -> list[dict[str, Any]]:
    """The facts of an example's kernels for one architecture; from memory if nothing changed."""
    expected = expectations_of(HERE / "expected" / f"{example}.toml")
    folder = EXAMPLES / example
    code = [digest(path) for path in sorted(HERE.glob("*.py"))]
    threads = [(rule.named, rule.threads) for rule in expected.rules]
    made_of = [
        tree_digest(ROOT / "include"),
        tree_digest(folder),
        digest(EXAMPLES / "tvm_ffi_utils.h"),
        *(*code, repr(threads), tools["version"], answer(find_nvdisasm(), "--version")),
    ]
    key = hashlib.sha256("\n".join(made_of).encode()).hexdigest()
    listing = listing_path(BUILD, example, architecture)
    memory = listing.with_suffix(".json")
    if memory.exists() and listing.exists():
        kept = json.loads(memory.read_text())
        if kept["key"] == key:
            return list(kept["facts"])
    texts, found = [], []
    for source in sorted(folder.rglob("*.cu")):
        if source.name in LEFT_OUT:
            continue
        for name, kernel, resources in compiled(source, architecture, tools):
            rule = expected.rule_for(name)
            threads_of_block = kernel.max_threads or rule.threads
            if not threads_of_block:
                raise WrongExpectations(f"{expected.where}: {rule.named}: expected a key `threads`")
            facts = facts_of(kernel, resources, ARCHITECTURES[architecture], threads_of_block)
            found.append({"kernel": name, "architecture": architecture, **asdict(facts)})
            texts.append(listing_of(name, kernel, facts))
    listing.parent.mkdir(parents=True, exist_ok=True)
    listing.write_text("\n".join(texts))
    memory.write_text(json.dumps({"key": key, "facts": found}))
    return found


def problems_of(example: str, found: list[dict[str, Any]]) -> list[str]:
    """What the machine code of an example lacks, and what is wrong with its expectations."""
    expected = expectations_of(HERE / "expected" / f"{example}.toml")
    problems, all_facts = [], []
    for each in found:
        values = {**each}
        kernel, architecture = values.pop("kernel"), values.pop("architecture")
        facts = Facts(**values)
        all_facts.append((kernel, architecture, facts))
        bounds = expected.rule_for(kernel).bounds_on(architecture)
        problems += [f"{kernel} for {architecture}: {why}" for why in broken(facts, bounds)]
    unused = [rule.named for rule in expected.rules if not rule.used]
    problems += [f"{expected.where}: no kernel is named {named}" for named in unused]
    return [*problems, *false_claims(ROOT, expected.claims, all_facts)]


def table_of(facts: list[dict[str, Any]]) -> str:
    """The facts of an example's kernels, aligned, for a terminal."""
    if not facts:
        return ""
    headings = ["", *(heading.lower() for heading in COLUMNS), "kernel"]
    rows = [
        [architecture, *cells, kernel]
        for architecture in ARCHITECTURES
        for kernel, *cells in rows_of(facts, architecture)
    ]
    columns = [*zip(headings, *rows, strict=True)]
    widths = [max(map(len, column)) for column in columns[:-1]]
    lines = [
        "  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in (headings, *rows)
    ]
    return "\n".join(["", *lines, ""])


def main(chosen: list[str]) -> int:
    """Examine all examples, or those named; 1 if one of them fails."""
    started = time.monotonic()
    tools = find_nvcc()
    if not tools:
        print("machine_code: expected nvcc on the path or below CUDA_HOME, got none")
        return 1
    tools["version"] = answer(tools["NVCC"], "--version")
    sources = sorted(EXAMPLES.rglob("*.cu"))
    names = sorted({path.relative_to(EXAMPLES).parts[0] for path in sources})
    if unknown := sorted({*chosen} - {*names}):
        print(f"machine_code: expected some of {', '.join(names)}, got {', '.join(unknown)}")
        return 1
    examples = [name for name in names if not chosen or name in chosen]
    jobs = [(name, architecture) for name in examples for architecture in ARCHITECTURES]
    facts: dict[str, list[dict[str, Any]]] = {name: [] for name in examples}
    problems = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tasks = [(name, pool.submit(examine, name, arch, tools)) for name, arch in jobs]
        for name, task in tasks:
            try:
                facts[name] += task.result()
            except (CannotCompile, WrongExpectations) as error:
                problems.append(str(error))
    for name in examples:
        try:
            problems += problems_of(name, facts[name])
        except WrongExpectations as error:
            problems.append(str(error))
        print(table_of(facts[name]), end="")
    print(*(["", "Falls short:", *problems] if problems else []), sep="\n")
    kernels = sum(len(found) for found in facts.values())
    print(
        f"{kernels} kernels examined, {len(problems)} problems; {time.monotonic() - started:.0f} s"
    )
    if not chosen and not problems:
        version = re.search(r"release [\d.]+, (V[\d.]+)", tools["version"])
        write_record(ROOT, BUILD, f"nvcc {version[1] if version else ''}", facts)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
