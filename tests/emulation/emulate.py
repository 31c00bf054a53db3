# SPDX-License-Identifier: Apache-2.0
"""Build the examples' CUDA sources for the CPU and run their tests: emulate.py [EXAMPLE...].

Each is built by g++ with an emulation of blocks, warps and barriers: once with AddressSanitizer and
UndefinedBehaviorSanitizer, and once with race detection. This does not test a GPU. gcov records
the lines that the first build runs, and the site reports them.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "docs"))

from _setup.sanitize_examples import FEWER, run_tests  # noqa: E402  (in a folder named above)
from _verify import gcov  # noqa: E402
from _verify.closure import RUNTIME, Closure, closure_of  # noqa: E402
from _verify.comments import positions  # noqa: E402
from _verify.cpp_statements import cpp_lines  # noqa: E402
from _verify.examples import example_files, find_examples  # noqa: E402
from _verify.helpers import helpers_of  # noqa: E402
from _verify.installed import why_not  # noqa: E402
from _verify.laps import Laps  # noqa: E402
from _verify.layout import Layout  # noqa: E402
from _verify.main import stamp_of  # noqa: E402
from _verify.receipts import EMULATED, Receipt, write_receipt  # noqa: E402
from _verify.statements import Lines  # noqa: E402
from _verify.survival import as_ranges  # noqa: E402
from _verify.tools import Tools, answer, find_nvcc  # noqa: E402

EXAMPLES = ROOT / "examples" / "kernel_library"
UTILITIES = "tvm_ffi_utils.h"
OUTPUT = ROOT / "build" / "emulation"
RACES = OUTPUT / "races"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
# Kernels report their accesses, including those of C library functions.
WATCHING = ["-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0"]
REPORTED = ("memcpy", "memmove", "memset")

SEED = "EMULATION_SEED"  # cuda_on_cpu.cc derives the block and thread orders from it

# Examples that cannot be emulated, with the reason.
LEFT_OUT = {
    "allocators": "it is about memory of CUDA, of which there is none",
    "gemm": "CUTLASS's kernels are instructions for tensor cores, which the emulation lacks",
}

DYNAMIC = re.compile(
    r"extern __shared__ (?:alignas\(\w+\) )?((?:unsigned )?[\w:]+) (\w+)\[\];", re.DOTALL
)
STATIC = re.compile(
    r"(?<!extern )__shared__ (alignas\(\w+\) )?((?:unsigned )?[\w:]+(?:<[^;]*>)?)"
    r" (\w+)((?:\[[^;\]]*\])*);"
)
CLAMPED = re.compile(r"(?<![\w:])min(\([^;()]*, \w+ - 1\))")
# Kernel variables also have these names, which are macros.
OF_CONFIGURATION = re.compile(r"\b(\w+)\.(gridDim|blockDim)\b")
LAUNCH = re.compile(r"(?P<kernel>[\w:]+)\s*(?P<types><[^;{}()]*>)?\s*<<<", re.DOTALL)


def parts(text: str) -> list[str]:
    """Split at the commas outside brackets."""
    found, depth = [""], 0
    for character in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return found


def end_of_call(text: str, opening: int) -> int:
    """Find the bracket that closes the one at `opening`."""
    depth = 0
    for place in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ValueError(f"a launch without its end: {text[opening : opening + 60]!r}")


def with_bounds(source: str) -> str:
    """Insert a launch-bound check at the start of each kernel body."""
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
    """Translate nvcc's extensions to C++: launches, launch bounds and shared memory."""
    source = DYNAMIC.sub(r"\1* \2 = static_cast<\1*>(emulation::SharedMemory());", source)
    # The block's memory is looked up by the address of a variable that all blocks share.
    source = STATIC.sub(
        r"\1static char \3_key; "
        r"auto& \3 = emulation::Shared<\2\4>(&\3_key, __alignof__(\3_key));",
        source,
    )
    source = OF_CONFIGURATION.sub(r"(\1.*emulation::\2_of)", source)
    source = CLAMPED.sub(r"emulation::ClampedIndex\1", source)
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
        # The following code keeps its line numbers.
        launch += "\n" * (source[match.start() : end + 1].count("\n") - launch.count("\n"))
        source = source[: match.start()] + launch + source[end + 1 :]
    return source


def build(example: str, extra: list[str], output: Path | None = None) -> Path:
    """Build an example's CUDA source for the CPU, under the library name that its test expects."""
    output = output or OUTPUT
    library = output / f"{example}_cpu.so"
    folder = EXAMPLES / example / "src"
    if not folder.is_dir():
        return build_source(EXAMPLES / example / f"{example}_kernel.cu", library, extra)
    # A multi-file example: files included from its own folder are translated too.
    told = output / f"{example}_src"
    told.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        (told / path.name).write_text(f'#line 1 "{path}"\n{translated(path.read_text())}')
    whole = told / f"{example}_kernel.cu"
    sources = sorted([*folder.glob("*.cu"), *folder.glob("*_cpu.cc"), *folder.glob("binding.cc")])
    whole.write_text("".join(f'#include "{path.name}"\n' for path in reversed(sources)))
    metadata = "-DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1"  # the headers are included before it
    folders = [f"-I{told}", f"-I{folder}"]  # the latter for files beside the examples
    return build_source(whole, library, [metadata, *folders, *extra])


def build_source(source: Path, library: Path, extra: list[str]) -> Path:
    """Build a CUDA source for the CPU."""
    library.parent.mkdir(parents=True, exist_ok=True)
    text, built = library.with_suffix(".cc"), library.with_suffix(".o")
    text.write_text(f'#line 1 "{source}"\n{translated(source.read_text())}')
    include = ["-include", str(HERE / "cuda_on_cpu.h"), f"-I{source.parent}"]
    compile_to(built, text, library.with_suffix(".headers"), [*extra, *include])
    sanitizers = [option for option in extra if option in SANITIZERS]
    if WATCHING[0] in extra:
        names = [f"--redefine-sym={name}=reported_{name}" for name in REPORTED]
        run(["objcopy", *names, str(built)], source)
    # If both define an inline function, the linker takes the first: the emulation's, unwatched.
    objects = [*runtime(tuple(sanitizers)), str(built)]
    counting = [option for option in extra if option == "--coverage"]
    flags = [*config("--ldflags", "--libs"), *sanitizers, *counting]
    run(["g++", "-shared", "-Wl,-Bsymbolic", *objects, "-o", str(library), *flags], source)
    return library


@cache
def runtime(sanitizers: tuple[str, ...]) -> list[str]:
    """Build the emulation itself, once per process; return its object files."""
    folder = Path(tempfile.mkdtemp(prefix="emulation_"))
    atexit.register(shutil.rmtree, folder)
    built = {source: folder / f"{source.stem}.o" for source in HERE.glob("*.cc")}
    for source, target in built.items():
        compile_to(target, source, folder, list(sanitizers))
    return [str(target) for target in built.values()]


def compile_to(target: Path, source: Path, headers: Path, extra: list[str]) -> None:
    """Compile a file to an object file."""
    headers.mkdir(exist_ok=True)
    # Kernels use this header's shared memory, so it is translated too.
    shared = EXAMPLES / UTILITIES
    (headers / UTILITIES).write_text(f'#line 1 "{shared}"\n{translated(shared.read_text())}')
    includes = [f"-I{headers}", f"-I{EXAMPLES}", *cuda_includes(), *config("--cxxflags")]
    options = ["-c", "-fPIC", "-O1", "-g1", "-w", *extra, *includes]
    run(["g++", *options, str(source), "-o", str(target)], source)


def run(command: list[str], source: Path) -> None:
    """Run one build step of a file."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{source.name}: {shlex.join(command)}\n{done.stderr[:4000]}")


@cache
def config(*options: str) -> list[str]:
    """Query the package's build flags."""
    command = ["tvm-ffi-config", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@cache
def cuda_includes() -> list[str]:
    """Query nvcc for CUDA's include directories."""
    dry = [find_nvcc()["NVCC"], "--dryrun", "-x", "cu", "-c", "/dev/null"]
    said = subprocess.run(dry, capture_output=True, text=True, check=True).stderr
    told = re.search(r'INCLUDES="(.*)"', said)
    return told[1].replace('"', "").replace("-I", "-isystem").split() if told else []


def build_watched(example: str) -> Path:
    """Build an example's CUDA source so that calling a kernel with a race raises."""
    return build(example, WATCHING, RACES)


def try_to_build(example: str) -> str:
    """Build an example both ways; return the compiler's output on failure, or an empty string."""
    counts = OUTPUT / "counts" / example
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir(parents=True)
    counting = ["-O0", "--coverage", "-fprofile-abs-path", "-dumpdir", f"{counts}/"]
    try:
        build(example, [*SANITIZERS, *counting])
        build_watched(example)
    except RuntimeError as error:
        return str(error)
    return ""


def lines_of(example: str) -> dict[str, Lines]:
    """Which lines of an example's files ran and which did not, by path relative to the root."""
    counts: dict[str, Counter[int]] = {}
    for path, _, lines in gcov.counts(OUTPUT / "counts" / example):
        if path.is_relative_to(EXAMPLES):
            counts.setdefault(path.relative_to(ROOT).as_posix(), Counter()).update(lines)
    return cpp_lines({file: translated((ROOT / file).read_text()) for file in counts}, counts)


def inputs_of(example: str) -> list[str]:
    """The inputs of a run other than the files that it compiles."""
    layout = Layout.of(ROOT)
    test = f"tests/examples/test_{example}.py"
    emulation = [layout.relative(path) for end in ("cc", "h") for path in HERE.glob(f"*.{end}")]
    return [test, *helpers_of(layout, test), *emulation, layout.relative(Path(__file__)), RUNTIME]


def receipt_of(example: str, before: Closure, about: dict[str, Any]) -> Receipt:
    """A receipt of which lines of an example's files ran; the files were hashed before the run."""
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
        **about,
    )


def about_run() -> dict[str, Any]:
    """The date, commit, machine and tools recorded in the receipts of a run."""
    tools = Tools.find(gpu=False)
    versions = {**tools.versions, "g++": tools.compilers["g++"]}
    return {**stamp_of(ROOT), "machine": tools.machine_of("cpu"), "tools": versions}


def main() -> int:
    """Run the named examples, or all; return 1 on any failure."""
    laps = Laps()
    print(f"orders of blocks and threads: EMULATION_SEED={os.environ.setdefault(SEED, '0')}")
    found = [example.name for example in find_examples(Layout.of(ROOT))]
    if unknown := sorted(set(sys.argv[1:]) - set(found)):
        raise SystemExit(f"expected names of {', '.join(found)}, got {', '.join(unknown)}")
    wanted = sys.argv[1:] or [name for name in found if name not in LEFT_OUT]
    if different := why_not(ROOT, answer("tvm-ffi-config", "--includedir")):
        raise SystemExit(different)
    inputs = [file for name in wanted for file in inputs_of(name)]
    before, about = closure_of(ROOT, [*example_files(ROOT), *inputs]), about_run()
    for sanitizers in (tuple(SANITIZERS), ()):
        runtime(sanitizers)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = [words for words in pool.map(try_to_build, wanted) if words]
    laps.end("build")
    said = said or run_tests(wanted, OUTPUT)
    laps.end("tests")
    if not said:
        said = run_tests(wanted, RACES, {**FEWER, "EMULATION_LOG": f"{RACES}/found"})
    laps.end("tests for races")
    for words in said:
        print(words, end="\n\n")
    for name in [] if said else wanted:
        write_receipt(Layout.of(ROOT).emulated, receipt_of(name, before, about))
    for name, reason in LEFT_OUT.items():
        print(f"left out: {name}: {reason}")
    told = "something is wrong" if said else "all passed"
    print(f"CUDA sources on the CPU: tests of {len(wanted)} examples: {told}")
    print(laps)
    return bool(said)


if __name__ == "__main__":
    sys.exit(main())
