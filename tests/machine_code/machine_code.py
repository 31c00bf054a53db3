# SPDX-License-Identifier: Apache-2.0
"""Compile the examples' CUDA sources and check their machine code: machine_code.py [EXAMPLE...].

No GPU is needed. nvcc builds a CUBIN for each architecture and nvdisasm shows its instructions.
Without arguments, the CUBINs are taken from the examples' libraries, which nox -s docs reuses.
It is a failure if machine code does not meet the requirements in an example's file in
``expected``, or if it still meets them with a slower version of the kernel, planted by that file.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "docs"))

# In the folder added above:
from _verify.closure import digest, tree_digest  # noqa: E402
from _verify.layout import Layout  # noqa: E402
from _verify.machine_code_model import Step  # noqa: E402
from _verify.machine_code_record import (  # noqa: E402
    COLUMNS,
    LISTED,
    listing_path,
    rows_of,
    write_record,
)
from _verify.main import cannot_verify, compile_all  # noqa: E402
from _verify.tools import Tools, answer, find_nvcc, package_version  # noqa: E402
from claimed import about_code, all_claims, general_sentences, unclaimed  # noqa: E402
from disassembly import (  # noqa: E402
    CannotCompile,
    compiled,
    contained,
    find_tool,
    listing_of,
)
from expectations import (  # noqa: E402
    Expectations,
    Plant,
    WrongExpectations,
    broken,
    expectations_of,
    false_claims,
)
from facts import ARCHITECTURES, Facts, facts_of  # noqa: E402

EXAMPLES = ROOT / "examples" / "kernel_library"
UTILITIES = "tvm_ffi_utils.h"
BUILD = ROOT / "build"
# Sources that are not compiled, with the reason.
LEFT_OUT = {"nvshmem_allocator.cu": "it has no kernel, and needs NVSHMEM"}

Found = list[dict[str, Any]]  # the facts of kernels, with their names and architectures


@functools.cache
def compiler() -> str:
    """The compiler's release, such as "nvcc 13.5"; empty if there is none."""
    nvcc = find_nvcc().get("NVCC")
    found = re.search(r"release ([\d.]+)", answer(nvcc, "--version")) if nvcc else None
    return f"nvcc {found[1]}" if found else ""


def rules_of(example: str) -> Expectations:
    """The expectations for an example."""
    return expectations_of(HERE / "expected" / f"{example}.toml", compiler())


def build_libraries() -> tuple[dict[str, Path], list[str]]:
    """Build changed libraries as docs does; return each example's CUDA library, and failures."""
    layout, tools = Layout.of(ROOT), Tools.find(gpu=False)
    if lines := cannot_verify(layout, tools):
        return {}, lines
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        builds, results = compile_all(layout, tools, pool)
    libraries = {
        example.name: layout.libraries / build.library
        for (example, variant), build in builds.items()
        if variant.device == "cuda"
    }
    return libraries, [f"{each.subject}: {each.reason}" for each in results.failures]


def find_facts(
    home: Path, example: str, architecture: str, library: Path | None, tools: dict[str, str]
) -> tuple[Found, str]:
    """The facts of the kernels of an example, and their listing.

    Read from its library, or compiled from its folder in ``home`` if that is not sufficient.
    """
    expected = rules_of(example)
    kernels = contained(library, architecture) if library else None
    if kernels is None:
        kernels = [
            kernel
            for source in sorted((home / example).rglob("*.cu"))
            if source.name not in LEFT_OUT
            for kernel in compiled(source, ROOT / "include", architecture, tools)
        ]
    found, texts = [], []
    for name, code, resources in kernels:
        rule = expected.rule_for(name)
        threads = code.max_threads or rule.threads
        if not threads:
            raise WrongExpectations(f"{expected.where}: {rule.named}: expected a key `threads`")
        facts = facts_of(code, resources, architecture, threads)
        found.append({"kernel": name, **asdict(facts)})
        texts.append(listing_of(name, code, facts))
    return found, "\n".join(texts)


def examine(
    example: str,
    architecture: str,
    plant: Plant | None,
    library: Path | None,
    tools: dict[str, str],
) -> Found:
    """The facts of an example, unmodified or with a plant; cached if already known.

    ``library`` contains the unmodified example.
    WrongExpectations: a rule is incomplete, or the plant's text is not found.
    """
    rules = [(rule.named, rule.threads) for rule in rules_of(example).rules]
    made_of = [
        tree_digest(ROOT / "include"),
        tree_digest(EXAMPLES / example),
        digest(EXAMPLES / UTILITIES),
        *(digest(path) for path in sorted(HERE.glob("*.py")) if not path.match("test_*")),
        digest(ROOT / "docs" / "_verify" / "machine_code_model.py"),
        package_version("nvidia-cutlass"),
        *(repr(rules), repr(plant), tools["version"], answer(find_tool("nvdisasm"), "--version")),
    ]
    key = hashlib.sha256("\n".join(made_of).encode()).hexdigest()
    listing = listing_path(BUILD, f"{example}_{plant.name}" if plant else example, architecture)
    memory = listing.with_suffix(".json")
    if memory.exists() and listing.exists():
        kept = json.loads(memory.read_text())
        if kept["key"] == key:
            return list(kept["facts"])
    with tempfile.TemporaryDirectory(prefix="machine_code_") as folder:
        home = EXAMPLES
        if plant:
            home = Path(folder)
            shutil.copytree(EXAMPLES / example, home / example)
            shutil.copy(EXAMPLES / UTILITIES, home)
            plant.apply(home)
        found, text = find_facts(home, example, architecture, library, tools)
    listing.parent.mkdir(parents=True, exist_ok=True)
    listing.write_text(text)
    memory.write_text(json.dumps({"key": key, "facts": found}))
    return found


def with_facts(found: Found) -> list[tuple[str, str, Facts]]:
    """The kernels, their architectures and their facts."""
    triples = []
    for each in found:
        values = {**each}
        kernel = values.pop("kernel")
        facts = Facts(**{**values, "step": Step(**values["step"])})
        triples.append((kernel, facts.architecture, facts))
    return triples


def shortfalls(expected: Expectations, found: Found) -> list[str]:
    """Each requirement of the rules that a kernel does not meet."""
    return [
        f"{kernel} for {architecture}: {why}"
        for kernel, architecture, facts in with_facts(found)
        for why in broken(facts, expected.rule_for(kernel).bounds_on(architecture))
    ]


def problems_of(example: str, found: Found, planted: dict[str, Found]) -> list[str]:
    """What is wrong with an example's machine code and with its expectations."""
    expected = rules_of(example)
    problems = shortfalls(expected, found)
    unused = [rule.named for rule in expected.rules if not rule.used]
    problems += [f"{expected.where}: no kernel is named {named}" for named in unused]
    problems += false_claims(ROOT, expected.claims, with_facts(found))
    for plant in expected.plants:
        if plant.name not in planted:
            continue
        facts = with_facts(planted[plant.name])
        listed = [claim for claim in expected.claims if LISTED in claim.architectures]
        lacking = [*shortfalls(expected, planted[plant.name]), *false_claims(ROOT, listed, facts)]
        if not any(f": {plant.breaks}: expected" in problem for problem in lacking):
            problems.append(f"{expected.where}: plant {plant.name}: nothing breaks {plant.breaks}")
    return problems


def table_of(facts: Found) -> str:
    """The facts of an example's kernels, as an aligned table for a terminal."""
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
    """Examine all examples, or those named; return 1 if any fails."""
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
    facts: dict[str, Found] = {name: [] for name in examples}
    planted: dict[str, dict[str, Found]] = {name: {} for name in examples}
    libraries, problems = ({}, []) if chosen else build_libraries()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            (name, plant, pool.submit(examine, name, architecture, plant, library, tools))
            for name in examples
            for plant in (None, *rules_of(name).plants)
            for library in [None if plant else libraries.get(name)]
            for architecture in ([LISTED] if plant else ARCHITECTURES)
        ]
        for name, plant, job in jobs:
            try:
                if plant:
                    planted[name][plant.name] = job.result()
                else:
                    facts[name] += job.result()
            except (CannotCompile, WrongExpectations) as error:
                problems.append(str(error))
    if not chosen:
        problems += unclaimed(about_code(ROOT), all_claims(), general_sentences())
    for name in examples:
        try:
            problems += problems_of(name, facts[name], planted[name])
        except WrongExpectations as error:
            problems.append(str(error))
        print(table_of(facts[name]), end="")
    print(*(["", "Falls short:", *problems] if problems else []), sep="\n")
    kernels = sum(map(len, facts.values()))
    plants = sum(map(len, planted.values()))
    print(
        f"{kernels} kernels examined, {plants} planted changes caught, {len(problems)} problems; "
        f"{time.monotonic() - started:.0f} s"
    )
    if not chosen and not problems:
        version = re.search(r"release [\d.]+, V([\d.]+)", tools["version"])
        exact = f"nvcc {version[1]}" if version else "nvcc"
        write_record(ROOT, BUILD, exact, facts, planted)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
