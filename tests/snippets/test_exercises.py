# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R5, R8
"""The page of exercises: each kernel fails for its reason, and the solution passes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from _verify.package_flags import flags
from _verify.tools import find_nvcc

ROOT = Path(__file__).resolve().parents[2]
HERE = "tests/snippets/exercises"
sys.path.append(str(ROOT / HERE))

import grade  # noqa: E402  (in a folder named above)

UTILITIES = "examples/kernel_library/tvm_ffi_utils.h"
# A part of what each check says of the kernel as it is given.
WRONG = {
    "tail": "was never written",
    "strides": "a transposed x",
    "dtype": "square for bfloat16",
    "column_total": "is 2048, expected 4096",
    "fp8": "is nan, expected 448",
    "optional": "weight of shape (3,) was accepted",
    "workspace": "holds the number 1000",
    "race": "race in row_total_kernel",
    "stream": "count changes at once",
    "graph": "not permitted when stream is capturing",
    "device": "the current GPU was 1 before plus_one and 0 after it",
}
# Kernels that were once taken for right: what a solution has, what it has in place of it, and what
# the check says.
OVERLOOKED = {
    "tail": (
        """  for (int64_t i = first; i < n / 4; i += step) {
    const float4 v = from[i];
    to[i] = {v.x * factor, v.y * factor, v.z * factor, v.w * factor};
  }
  // The tail: at most three elements.
  const int64_t rest = n / 4 * 4 + first;
  if (rest < n) y[rest] = x[rest] * factor;
""",
        """  for (int64_t i = first; i < (n + 3) / 4; i += step) {
    const float4 v = from[i];
    const float items[] = {v.x, v.y, v.z, v.w};
    for (int k = 0; k < 4; ++k) {
      if (4 * i + k < n) y[4 * i + k] = items[k] * factor;
    }
  }
""",
        "times_kernel reads memory beyond the end of an array, at overlooked.cu:",
    ),
    "strides": (
        "x[r * row_stride + c * column_stride]",
        "x[static_cast<int>(r * row_stride + c * column_stride)]",
        "x of shape (3, 5) with strides (2147483656, 1): element (1, 0) of the output is 0, "
        "expected 6",
    ),
    "column_total": (
        """    for (int64_t r = 0; r < rows; ++r)
      total += static_cast<float>(x[r * columns + c]);
""",
        """    for (int64_t r = 0; r < rows; r += 2) {
      float two = static_cast<float>(x[r * columns + c]);
      if (r + 1 < rows) two += static_cast<float>(x[(r + 1) * columns + c]);
      total += static_cast<float>(static_cast<float16>(two));
    }
""",
        "column_total for x of shape (",
    ),
    "optional": (
        "    CHECK_SAME_DEVICE(weight, x);\n",
        "",
        "with a weight on another GPU was accepted",
    ),
    "device": (
        "guard(x.device().device_id)",
        "guard(0)",
        "x is on GPU 1; the kernel was launched on GPU 0",
    ),
}
SOURCES = [f"{HERE}/{name}/{file}.cu" for name in WRONG for file in (name, "solution")]
MADE_OF = [
    UTILITIES,
    f"{HERE}/arrays.py",
    f"{HERE}/grade.py",
    "tests/emulation/emulate.py",
    *sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests" / "emulation").iterdir()
        if path.suffix in (".cc", ".h")
    ),
    "tests/snippets/test_exercises.py",
]


@pytest.fixture
def nvcc(monkeypatch):
    """The CUDA compiler, whose headers the emulation needs too."""
    found = find_nvcc()
    if not found:
        pytest.skip("no nvcc is installed")
    monkeypatch.setenv("TRACE_COMPILED", "no")  # or gcov's counters would be watched for races
    return found


def test_every_exercise_is_tested():
    """A new folder adds a row, and a section of the page."""
    assert sorted(WRONG) == grade.NAMES
    page = (ROOT / "docs" / "guides" / "exercises.rst").read_text()
    shown = re.findall(rf"{HERE}/(\w+)/solution\.cu", page)
    assert list(dict.fromkeys(shown)) == list(WRONG)


@pytest.mark.parametrize("name", WRONG)
def test_an_exercise(shows, captured, nvcc, name):
    """The kernel fails for its reason, in the words of the page; the solution passes."""
    given, solution = (f"{HERE}/{name}/{file}.cu" for file in (name, "solution"))
    for path in (given, solution):
        shows(path, f"{HERE}/{name}/check.py", *MADE_OF)
    wrong = grade.grade(ROOT / given)
    assert WRONG[name] in wrong
    said = grade.report(name, wrong)
    captured(f"tests/snippets/captured/exercises/{name}.txt", f"$ python grade.py {name}\n{said}")
    assert grade.grade(ROOT / solution) == ""


@pytest.fixture(scope="module")
def overlooked(tmp_path_factory):
    """Builds all of OVERLOOKED together, once."""
    built = []

    def build():
        if not built:
            source = tmp_path_factory.mktemp("overlooked") / "overlooked.cu"
            texts = []
            for name, (right, wrong, _) in OVERLOOKED.items():
                text = (ROOT / HERE / name / "solution.cu").read_text()
                assert text.count(right) == 1
                texts.append(text.replace(right, wrong))
            source.write_text("".join(texts))
            built.append(grade.build(source, source.parent))
        return built[0]

    return build


@pytest.mark.parametrize("name", OVERLOOKED)
def test_what_was_overlooked_fails(nvcc, overlooked, name):
    """Each check finds a mistake that gives correct results in most calls."""
    assert OVERLOOKED[name][2] in grade.judge(overlooked(), ROOT / HERE / name)


@pytest.mark.parametrize("file", ["exercises", "solutions"])
def test_nvcc_compiles(shows, nvcc, tmp_path, file):
    """All of them together, so that the headers are read once: no name is in two exercises.

    g++ has compiled what runs on the host.
    """
    chosen = [path for path in SOURCES if path.endswith("/solution.cu") == (file == "solutions")]
    for path in chosen:
        shows(path, *MADE_OF)
    source = tmp_path / f"{file}.cu"
    source.write_text("".join(f'#include "{ROOT / path}"\n' for path in chosen))
    include = f"-I{(ROOT / UTILITIES).parent}"
    command = [nvcc["NVCC"], "-std=c++17", "-arch=sm_80", "-Werror", "all-warnings", "-ptx"]
    command += [include, *flags("--cxxflags").split(), str(source), "-o", str(tmp_path / "all.ptx")]
    done = subprocess.run(
        command, env={**os.environ, **nvcc}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_command(shows, nvcc):
    """It prints what the page shows, and its exit status says that something is wrong."""
    script = shows(f"{HERE}/grade.sh", f"{HERE}/grade.py", "tests/snippets/test_exercises.py")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", script],
        env={**os.environ, "CLONE": str(ROOT), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    held = (ROOT / "tests/snippets/captured/exercises/tail.txt").read_text()
    assert (done.returncode, done.stdout) == (1, held.partition("\n")[2]), done.stderr


def test_what_does_not_compile(nvcc, tmp_path):
    """The compiler's message is printed, with its line."""
    shutil.copy(ROOT / HERE / "tail" / "check.py", tmp_path)
    source = tmp_path / "tail.cu"
    source.write_text("int one = 1\nint two = 2;\n")
    wrong = grade.grade(source)
    assert re.match(r"it does not compile:\n\S*tail\.cu:\d:\d+: error: expected", wrong), wrong
    assert grade.report("tail", wrong) == f"tail: {wrong.rstrip()}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("__shared__ volatile float totals[256];\n", "the emulation cannot run it: "),
        ("#include <cstdlib>\nconst int stopped = (std::abort(), 1);\n", "the emulation stopped: "),
    ],
)
def test_what_the_emulation_cannot_run(nvcc, tmp_path, monkeypatch, text, told):
    """The reason is printed in words: no traceback, and no process that ends without a message."""
    (tmp_path / "tail").mkdir()
    shutil.copy(ROOT / HERE / "tail" / "check.py", tmp_path / "tail")
    source = tmp_path / "tail" / "tail.cu"
    source.write_text((ROOT / HERE / "tail" / "tail.cu").read_text() + text)
    assert grade.grade_apart(str(source.parent), source.name).startswith(told)


def test_what_is_no_exercise(capsys):
    """The names are listed."""
    assert grade.main(["tale"]) == 2
    assert capsys.readouterr().out == (
        f"grade.py: expected one of {', '.join(grade.NAMES)}, got tale\n"
    )


def test_without_the_cuda_toolkit(capsys, monkeypatch):
    """The command says what to install."""
    monkeypatch.setattr(grade.emulate, "find_nvcc", dict)
    assert grade.main(["tail"]) == 2
    assert capsys.readouterr().out == (
        "grade.py: expected the CUDA toolkit, found none. Set NVCC to the path of nvcc, or "
        "type: pip install 'nvidia-cuda-nvcc<14' 'nvidia-cuda-runtime<14' 'nvidia-cuda-cccl<14'\n"
    )
