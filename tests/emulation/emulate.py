# SPDX-License-Identifier: Apache-2.0
"""Run the examples' CUDA sources on the CPU, and their tests over them: emulate.py [EXAMPLE...].

Each is built by g++ with an emulation of blocks, warps and barriers, and with AddressSanitizer and
UndefinedBehaviorSanitizer. It says nothing of a GPU. gcov counts the lines, which the site names.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "docs"))

from _setup.sanitize_examples import run_tests  # noqa: E402  (in a folder that was just named)
from _verify import gcov  # noqa: E402
from _verify.closure import RUNTIME, Closure, closure_of  # noqa: E402
from _verify.comments import positions  # noqa: E402
from _verify.cpp_statements import cpp_lines  # noqa: E402
from _verify.examples import example_files, find_examples  # noqa: E402
from _verify.helpers import helpers_of  # noqa: E402
from _verify.installed import why_not  # noqa: E402
from _verify.layout import Layout  # noqa: E402
from _verify.receipts import EMULATED, Receipt, write_receipt  # noqa: E402
from _verify.statements import Lines  # noqa: E402
from _verify.survival import as_ranges  # noqa: E402
from _verify.tools import answer, find_nvcc  # noqa: E402

EXAMPLES = ROOT / "examples" / "kernel_library"
UTILITIES = "tvm_ffi_utils.h"
OUTPUT = ROOT / "build" / "emulation"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]

SEED = "EMULATION_SEED"  # cuda_on_cpu.cc draws the orders of blocks and threads from it

# What cannot be emulated, with the reason.
LEFT_OUT = {"allocators": "it is about memory of CUDA, of which there is none"}

DYNAMIC = re.compile(
    r"extern __shared__ (?:alignas\(\w+\) )?((?:unsigned )?[\w:]+) (\w+)\[\];", re.DOTALL
)
STATIC = re.compile(
    r"(?<!extern )__shared__ ((?:alignas\(\w+\) )?(?:unsigned )?[\w:]+(?:<[^;]*>)?)"
    r" (\w+)((?:\[[^;\]]*\])*);"
)
LAUNCH = re.compile(r"(?P<kernel>[\w:]+)\s*(?P<types><[^;{}()]*>)?\s*<<<", re.DOTALL)


def parts(text: str) -> list[str]:
    """Split at the commas that stand in no brackets."""
    found, depth = [""], 0
    for character in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return found


def end_of_call(text: str, opening: int) -> int:
    """Find the bracket that closes the one at a place."""
    depth = 0
    for place in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ValueError(f"a launch without its end: {text[opening : opening + 60]!r}")


def with_bounds(source: str) -> str:
    """Begin the body of each kernel with its launch bound."""
    for match in reversed(list(re.finditer("__global__", source))):
        opening, bound = source.index("(", match.end()), ""
        if source[:opening].endswith("__launch_bounds__"):
            end = end_of_call(source, opening)
            bound = parts(source[opening + 1 : end])[0]
            opening = source.index("(", end)
        parameters = end_of_call(source, opening)
        if body := re.compile(r"\s*\{").match(source, parameters + 1):
            check = f" emulation::LaunchBound({bound});"
            source = source[: body.end()] + check + source[body.end() :]
    return source


def translated(source: str) -> str:
    """Write what only nvcc understands as C++: launches, their bounds, and shared memory."""
    source = DYNAMIC.sub(r"\1* \2 = static_cast<\1*>(emulation::SharedMemory());", source)
    source = STATIC.sub(r"static \1 \2\3; emulation::Shared(&\2, sizeof(\2));", source)
    if "__shared__" in source:
        got = source[source.index("__shared__") :][:60]
        raise ValueError(f"expected one variable and no comment, got {got!r}")
    source = with_bounds(source)
    while match := LAUNCH.search(source):
        closing = source.index(">>>", match.end())
        grid, size, *others = parts(source[match.end() : closing])
        shared, stream = (*others, "0", "nullptr")[:2] if len(others) < 2 else others
        opening = source.index("(", closing)
        end = end_of_call(source, opening)
        kernel = f"{match['kernel']}{match['types'] or ''}"
        given = f", {source[opening + 1 : end]}" if end > opening + 1 else ""
        where = f'"{match["kernel"]}", {grid}, {size}, {shared}, {stream}'
        call = f"[](const auto&... given) {{ {kernel}(given...); }}"
        launch = f"emulation::Launch({where}, {call}{given})"
        # What follows stays on its line.
        launch += "\n" * (source[match.start() : end + 1].count("\n") - launch.count("\n"))
        source = source[: match.start()] + launch + source[end + 1 :]
    return source


def build(example: str, extra: list[str]) -> Path:
    """Build an example's CUDA source for the CPU, under the name that its test looks for."""
    library = OUTPUT / f"{example}_cpu.so"
    folder = EXAMPLES / example / "src"
    if not folder.is_dir():
        return build_source(EXAMPLES / example / f"{example}_kernel.cu", library, extra)
    # An example of many files: what they include of each other is translated too.
    told = OUTPUT / f"{example}_src"
    told.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        (told / path.name).write_text(f'#line 1 "{path}"\n{translated(path.read_text())}')
    whole = told / f"{example}_kernel.cu"
    sources = sorted([*folder.glob("*.cu"), *folder.glob("*_cpu.cc"), *folder.glob("binding.cc")])
    whole.write_text("".join(f'#include "{path.name}"\n' for path in reversed(sources)))
    metadata = "-DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1"  # the headers are included before it
    folders = [f"-I{told}", f"-I{folder}"]  # the latter for what lies beside the examples
    return build_source(whole, library, [metadata, *folders, *extra])


def build_source(source: Path, library: Path, extra: list[str]) -> Path:
    """Build a CUDA source for the CPU."""
    library.parent.mkdir(parents=True, exist_ok=True)
    text = library.with_suffix(".cc")
    text.write_text(f'#line 1 "{source}"\n{translated(source.read_text())}')
    # Kernels share this header's shared memory, which is translated too.
    headers = library.with_suffix(".headers")
    headers.mkdir(exist_ok=True)
    shared = EXAMPLES / UTILITIES
    (headers / UTILITIES).write_text(f'#line 1 "{shared}"\n{translated(shared.read_text())}')
    told = ["tvm-ffi-config", "--cxxflags", "--ldflags", "--libs"]
    flags = subprocess.run(told, capture_output=True, text=True, check=True).stdout.split()
    command = [
        *("g++", "-shared", "-fPIC", "-O1", "-g1", "-w", "-Wl,-Bsymbolic", *extra),
        *(f"-I{headers}", f"-I{EXAMPLES}", f"-I{source.parent}", *cuda_includes()),
        *("-include", str(HERE / "cuda_on_cpu.h"), *map(str, HERE.glob("*.cc")), str(text)),
        *("-o", str(library), *flags),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{source.name}: {shlex.join(command)}\n{done.stderr[:4000]}")
    return library


def cuda_includes() -> list[str]:
    """Ask nvcc where CUDA's headers are."""
    dry = [find_nvcc()["NVCC"], "--dryrun", "-x", "cu", "-c", "/dev/null"]
    said = subprocess.run(dry, capture_output=True, text=True, check=True).stderr
    told = re.search(r'INCLUDES="(.*)"', said)
    return told[1].replace('"', "").replace("-I", "-isystem").split() if told else []


def try_to_build(example: str) -> str:
    """Build an example: empty if all is well, else what the compiler said."""
    counts = OUTPUT / "counts" / example
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir(parents=True)
    counting = ["-O0", "--coverage", "-fprofile-abs-path", "-dumpdir", f"{counts}/"]
    try:
        build(example, [*SANITIZERS, *counting])
    except RuntimeError as error:
        return str(error)
    return ""


def lines_of(example: str) -> dict[str, Lines]:
    """The lines of an example's files, by their paths below the root, that ran and that did not."""
    counts: dict[str, Counter[int]] = {}
    for path, _, lines in gcov.counts(OUTPUT / "counts" / example):
        if path.is_relative_to(EXAMPLES):
            counts.setdefault(path.relative_to(ROOT).as_posix(), Counter()).update(lines)
    return cpp_lines({file: translated((ROOT / file).read_text()) for file in counts}, counts)


def inputs_of(example: str) -> list[str]:
    """What a run depends on besides the files that it compiles."""
    layout = Layout.of(ROOT)
    test = f"tests/examples/test_{example}.py"
    emulation = [layout.relative(path) for path in (*HERE.glob("*.cc"), *HERE.glob("*.h"))]
    return [test, *helpers_of(layout, test), *emulation, layout.relative(Path(__file__)), RUNTIME]


def receipt_of(example: str, before: Closure) -> Receipt:
    """Which lines of an example's files ran, for the site; the files were hashed before the run."""
    ran: dict[str, list[str]] = {}
    idle: dict[str, dict[str, str]] = {}
    for file, lines in lines_of(example).items():
        text = (ROOT / file).read_text()
        ran[file] = as_ranges(positions(file, text, lines.ran))
        idle[file] = dict.fromkeys(as_ranges(positions(file, text, lines.idle)), "")
    return Receipt(
        subject=example,
        level=EMULATED,
        verifies=sorted(ran),
        closure={file: before[file] for file in [*ran, *inputs_of(example)]},
        ran=ran,
        idle=idle,
    )


def main() -> int:
    """Run the examples that are named, or all; 1 if something is wrong."""
    begun = time.monotonic()
    print(f"orders of blocks and threads: EMULATION_SEED={os.environ.setdefault(SEED, '0')}")
    found = [example.name for example in find_examples(Layout.of(ROOT))]
    if unknown := sorted(set(sys.argv[1:]) - set(found)):
        raise SystemExit(f"expected names of {', '.join(found)}, got {', '.join(unknown)}")
    wanted = sys.argv[1:] or [name for name in found if name not in LEFT_OUT]
    if different := why_not(ROOT, answer("tvm-ffi-config", "--includedir")):
        raise SystemExit(different)
    inputs = [file for name in wanted for file in inputs_of(name)]
    before = closure_of(ROOT, [*example_files(ROOT), *inputs])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = [words for words in pool.map(try_to_build, wanted) if words]
    said = said or run_tests(wanted, OUTPUT)
    for words in said:
        print(words, end="\n\n")
    for name in [] if said else wanted:
        write_receipt(Layout.of(ROOT).emulated, receipt_of(name, before))
    for name, reason in LEFT_OUT.items():
        print(f"left out: {name}: {reason}")
    told = "something is wrong" if said else "all passed"
    print(f"CUDA sources on the CPU: tests of {len(wanted)} examples: {told}")
    print(f"{time.monotonic() - begun:.0f} s")
    return bool(said)


if __name__ == "__main__":
    sys.exit(main())
