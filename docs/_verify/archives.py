# SPDX-License-Identifier: Apache-2.0
"""Pack each example, with the headers beside the examples and the commands to build and run it."""

from __future__ import annotations

import ast
import io
import zipfile
from pathlib import Path

from .examples import HEADERS, VARIANTS, Example, example_files, find_examples
from .layout import Layout
from .offered import offered_bytes

LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the earliest date in a zip, so that only contents matter
README = """{name}: an example of the TVM FFI kernel library.

You need g++, or nvcc for a GPU, and a Python environment with tvm_ffi and PyTorch, whose
tvm-ffi-config is on PATH. Give these commands in the folder into which you unpacked this archive.

On a CPU:

    bash {name}/build_cpu.sh
    python {name}/load_{name}.py

On a GPU:

    bash {name}/build_cuda.sh
    python {name}/load_{name}.py cuda

The scripts:

{scripts}
"""
WHEEL = """
A wheel, in the folder dist, with scikit-build-core, CMake and Ninja installed:

    pip wheel --no-deps --no-build-isolation -w dist ./{name}
"""


def purpose(script: Path) -> str:
    """Return the first line of a script's comment or docstring, which states its purpose."""
    text = script.read_text()
    if script.suffix == ".py":
        return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    comments = [line[2:] for line in text.splitlines() if line.startswith("# ")]
    return next((line for line in comments if not line.startswith("SPDX")), "")


def readme(example: Example, layout: Layout) -> str:
    """Return the commands that build and run an example, and the purpose of each script."""
    for needed in (*(example.script(variant) for variant in VARIANTS), example.driver):
        if not (layout.root / needed).exists():
            raise FileNotFoundError(f"{example.name}: expected {needed}, which its README names")
    folder = layout.root / example.folder
    scripts = [*sorted(folder.glob("build_*.sh")), *sorted(folder.glob("load_*.py"))]
    said = "\n".join(f"{example.name}/{path.name}: {purpose(path)}" for path in scripts)
    text = README + (WHEEL if (folder / "pyproject.toml").exists() else "")
    return text.format(name=example.name, scripts=said)


def contents(example: Example, layout: Layout) -> dict[str, bytes]:
    """Return the archive's contents by name: files as pages offer them, without markers."""
    inside = f"{example.folder}/"
    files = [name for name in example_files(layout.root) if name.startswith(inside)]
    above = layout.relative(layout.examples)
    files += [layout.relative(path) for path in layout.examples.glob("*") if path.suffix in HEADERS]
    found = {name.removeprefix(f"{above}/"): offered_bytes(layout.root / name) for name in files}
    return {**found, f"{example.name}/README.txt": readme(example, layout).encode()}


def pack(files: dict[str, bytes]) -> bytes:
    """Return a zip of these files: the same files produce the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, on every machine
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return buffer.getvalue()


def archive_path(name: str, layout: Layout) -> Path:
    """Return the path of an example's archive."""
    return layout.build / "archives" / f"{name}.zip"


def write_archives(layout: Layout) -> None:
    """Write the archive of each example; an unchanged one is not rewritten."""
    for example in find_examples(layout):
        path, packed = archive_path(example.name, layout), pack(contents(example, layout))
        if not path.exists() or path.read_bytes() != packed:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(packed)
