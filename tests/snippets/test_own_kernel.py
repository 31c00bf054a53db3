# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""A kernel of the reader's own, made of the example scale as the quickstart says."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

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


def test_renamed_and_rewritten(shows, device, tmp_path):
    """The renamed copy works as it is; the new kernel builds for both devices and passes."""
    nvcc = find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc is installed")
    for path in (*WRITTEN, *SCRIPTS):
        # What names the CUDA source would say that it ran.
        shows(path, *(each for each in (*WRITTEN, *SCRIPTS, *MADE_OF) if not each.endswith(".cu")))
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **nvcc, "CLONE": str(ROOT), "PATH": scripts}

    def run(script):
        done = subprocess.run(
            ["bash", ROOT / script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run(SCRIPTS[0]) == "elu_cpu.so gives the right results\n"
    left = [path.name for path in tmp_path.glob("elu/*") if "scale" in path.read_text()]
    assert not left
    for path in WRITTEN:
        shutil.copy(ROOT / path, tmp_path / "elu")
    said = run(SCRIPTS[1])
    assert (tmp_path / "elu_cuda.so").exists()
    assert "4 passed" in said or "8 passed" in said
    if device == "cuda":
        assert "8 passed" in said
