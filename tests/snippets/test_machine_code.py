# SPDX-License-Identifier: Apache-2.0
# Rows: R4, R8
"""The page on machine code: the main loop of an example, in the instructions of the GPU."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from _verify.tools import answer, find_nvcc
from commands import run

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "tests/snippets/machine_code/loop.sh"
TEST = "tests/snippets/test_machine_code.py"
EXAMPLES = "examples/kernel_library"
SOURCES = [f"{EXAMPLES}/tvm_ffi_utils.h", f"{EXAMPLES}/scale/scale_kernel.cu"]
sys.path[:0] = [str(ROOT / name) for name in ("tests/examples", "tests/machine_code")]

from disassembly import find_tool  # noqa: E402  (in a folder that was just named)


def test_main_loop(shows, captured, tmp_path):
    """The loop is as the page shows and explains it."""
    nvcc = find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc is installed")
    if not shutil.which(find_tool("nvdisasm")):
        pytest.skip("nvdisasm is not installed")
    script = shows(SCRIPT, *SOURCES, TEST)
    (tmp_path / "scale").mkdir()
    for path in SOURCES:
        shutil.copy(ROOT / path, tmp_path / Path(path).relative_to(EXAMPLES))
    tools = [str(Path(sys.executable).parent), str(Path(find_tool("nvdisasm")).parent)]
    path = os.pathsep.join([*tools, os.environ["PATH"]])
    loop = run("bash", script, folder=tmp_path, PATH=path, **nvcc)
    operations = re.findall(r"LDG\S*|FMUL|STG\S*", loop)
    assert operations[:5] == [*["LDG.E.128"] * 4, "FMUL"]
    assert operations.count("LDG.E.128") == operations.count("STG.E.128") == 4
    assert operations.count("FMUL") == 16
    listing = (tmp_path / "scale.sass").read_text()
    assert not re.search(r"\b(LDL|STL)\b", listing)
    release = re.search(r"release (\d+)", answer(nvcc["NVCC"], "--version"))[1]
    if release != "13":
        pytest.skip(f"the page shows what nvcc 13 generates; this is nvcc {release}")
    captured("tests/snippets/captured/scale_loop.txt", loop)
