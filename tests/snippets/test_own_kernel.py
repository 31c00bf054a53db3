# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""A kernel of the reader's own, made of the example scale as the quickstart says."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from _verify.tools import find_nvcc

ROOT = Path(__file__).resolve().parents[2]
OWN = "tests/snippets/own_kernel"
WRITTEN = [f"{OWN}/{name}" for name in ("elu.h", "elu_kernel.cc", "elu_kernel.cu", "elu_test.py")]
SCRIPTS = [f"{OWN}/rename.sh", f"{OWN}/test.sh"]
MADE_OF = [
    *(
        f"examples/kernel_library/{name}"
        for name in ("tvm_ffi_utils.h", "scale/build_cpu.sh", "scale/build_cuda.sh")
    ),
    "tests/snippets/test_own_kernel.py",
]


GELU = "C(0.5) * x * (C(1) + std::erf(x * C(0.70710678118654752)))"
EXACT = "exact = x.double() / 2 * torch.erfc(x.double() * -(0.5**0.5))"  # where nothing cancels
OWN_COMPUTE = "using C = typename Compute<T>::Type;"


@pytest.fixture
def runs(tmp_path):
    """Give a function that runs a script of the page in one folder, and says how it ended."""
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "CLONE": str(ROOT), "PATH": scripts}

    def run(*command, **variables):
        return subprocess.run(
            command,
            cwd=tmp_path,
            env={**environment, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def pasted(script):
    """The lines that a page shows of a script, as a reader pastes them: nothing stops at errors."""
    return (ROOT / script).read_text().partition("set -eu\n")[2]


def replace(path, old, new):
    """Change the one place where a text stands in a file."""
    text = path.read_text()
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new))


def write_elu(folder):
    """Lay out the kernel of the page, with the scripts of scale that build it."""
    shutil.copy(ROOT / "examples/kernel_library/tvm_ffi_utils.h", folder)
    (folder / "elu").mkdir()
    for path in WRITTEN:
        shutil.copy(ROOT / path, folder / "elu")
    for device in ("cpu", "cuda"):
        text = (ROOT / f"examples/kernel_library/scale/build_{device}.sh").read_text()
        (folder / "elu" / f"build_{device}.sh").write_text(text.replace("scale", "elu"))


def test_renamed_and_rewritten(shows, device, runs, tmp_path):
    """The renamed copy works as it is; the new kernel builds for both devices and passes."""
    nvcc = find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc is installed")
    for path in (*WRITTEN, *SCRIPTS):
        shows(path, *WRITTEN, *SCRIPTS, *MADE_OF)

    def run(script):
        done = runs("bash", ROOT / script, **nvcc)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run(SCRIPTS[0]) == "elu_cpu.so gives the right results\n"
    texts = {path.name: path.read_text() for path in tmp_path.glob("elu/*.*")}
    assert not [name for name, text in texts.items() if "scale" in name + text or "elud" in text]
    assert "FUNC(elu_new, elu_new);" in texts["elu_kernel.cc"]
    for path in WRITTEN:
        shutil.copy(ROOT / path, tmp_path / "elu")
    said = run(SCRIPTS[1])
    assert (tmp_path / "elu_cuda.so").exists()
    assert "4 passed" in said or "8 passed" in said
    if device == "cuda":
        assert "8 passed" in said


def test_a_name_that_is_no_identifier(runs):
    """The compiler refuses it: it is the name of a function."""
    done = runs("bash", "-c", pasted(SCRIPTS[0]).replace("name=elu ", "name=e-lu "))
    assert done.returncode != 0
    assert "error: expected" in done.stderr


def test_a_failed_build_ends_it(runs, tmp_path):
    """What is pasted stops at a build that fails, and tests nothing."""
    write_elu(tmp_path)
    (tmp_path / "elu" / "elu_kernel.cc").write_text("#error broken\n")
    done = runs("bash", "-c", pasted(SCRIPTS[1]), NVCC="true")
    assert done.returncode != 0
    assert "broken" in done.stderr
    assert "pytest" not in done.stderr
    assert not done.stdout


def test_another_formula(runs, tmp_path):
    """A correct GELU passes with the tolerance that the page counts; float for float64 fails."""
    write_elu(tmp_path)
    kernel, test = (tmp_path / "elu" / name for name in ("elu_kernel.cc", "elu_test.py"))
    replace(tmp_path / "elu" / "elu.h", "x > C(0) ? x : alpha * std::expm1(x)", GELU)
    (old,) = (line for line in test.read_text().splitlines() if line.startswith("    exact = "))
    replace(test, old, f"    {EXACT}")
    replace(test, "ROUNDINGS = 3", "ROUNDINGS = 8")
    replace(test, "LARGEST = 0", "LARGEST = 3")
    replace(test, "max_examples=60", "max_examples=20")
    build = ("bash", "elu/build_cpu.sh")
    command = (sys.executable, "-m", "pytest", "-q", "elu/elu_test.py", "-k", "any_shape and cpu")
    assert runs(*build).returncode == 0
    done = runs(*command)
    assert "1 passed" in done.stdout, done.stdout
    replace(kernel, OWN_COMPUTE, "using C = float;")
    assert runs(*build).returncode == 0
    done = runs(*command)
    assert "1 failed" in done.stdout, done.stdout
    assert "float64" in done.stdout


def test_a_computed_argument():
    """Correct results of exp(v) fail unless the error of v counts as often as v is large."""
    a, b = numpy.random.default_rng(0).uniform(-4, 4, (2, 100_000)).astype("float32")
    exact = numpy.exp(a.astype("float64") * b)
    error = numpy.abs(numpy.exp(a * b) - exact) / exact / numpy.finfo("float32").eps
    of_exp, of_product = 2, 0.5
    assert error.max() > 2 * (of_exp + of_product)
    assert (error <= 2 * (of_exp + of_product * numpy.maximum(1, numpy.abs(a * b)))).all()
