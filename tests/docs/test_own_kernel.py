# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The quickstart's custom kernel, without nvcc and without a clone."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from _verify.archives import contents, pack
from _verify.examples import find_examples
from _verify.layout import Layout

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "tests/snippets/own_kernel"
WRITTEN = ("elu.h", "elu_kernel.cc", "elu_kernel.cu", "elu_test.py")
COPY = """cp -r "$CLONE"/examples/kernel_library/{scale,tvm_ffi_utils.h} .\n"""
CUDA = "  bash elu/build_cuda.sh &&  # needs nvcc, but no GPU\n"


def without(line, script):
    """Return a script that the page shows, without one of its lines."""
    text = (OWN / script).read_text()
    assert text.count(line) == 1, (script, line)
    return text.replace(line, "")


def run(script, folder, **variables):
    """Run a script in a folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ("bash", "-c", script),
        cwd=folder,
        env={**os.environ, "PATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """A folder with the archive's files, renamed and built as the page says, without a clone."""
    folder = tmp_path_factory.mktemp("own")
    layout = Layout.of(ROOT)
    (scale,) = (each for each in find_examples(layout) if each.name == "scale")
    (folder / "scale.zip").write_bytes(pack(contents(scale, layout)))
    with zipfile.ZipFile(folder / "scale.zip") as archive:
        archive.extractall(folder)
    done = run(without(COPY, "rename.sh"), folder)
    assert done.stdout == "elu_cpu.so gives the right results\n", done.stderr
    return folder


def test_the_archive_has_what_the_command_copies(unpacked):
    """Every file of the example exists under its new name."""
    files = {path.name for path in (ROOT / "examples/kernel_library/scale").iterdir()}
    missing = {name.replace("scale", "elu") for name in files if not name.endswith((".so", ".o"))}
    assert missing - {path.name for path in (unpacked / "elu").iterdir()} == set()
    assert (unpacked / "tvm_ffi_utils.h").exists()


def test_tests_without_nvcc(unpacked):
    """Without nvcc's line the CPU tests pass; with it, a missing nvcc stops before any test."""
    for name in WRITTEN:
        shutil.copy(OWN / name, unpacked / "elu")
    done = run((OWN / "test.sh").read_text(), unpacked, NVCC="false")
    assert done.returncode != 0
    assert "passed" not in done.stdout
    shorter = without(CUDA, "test.sh").replace("-rs elu", "-rs -k cpu elu")
    done = run(shorter, unpacked, NVCC="false")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed, 4 deselected" in done.stdout
