# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""NVIDIA's wheels on PyPI compile CUDA sources where no toolkit is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_compiles_an_example(shows, tmp_path):
    """The compiler that the page names builds a library, and takes nothing from elsewhere."""
    example = "examples/kernel_library/add_one"
    script = shows(
        "tests/snippets/nvcc_from_pypi.sh",
        f"{example}/build_cuda.sh",
        f"{example}/add_one_kernel.cu",
    )
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "environment"], check=True)
    programs = tmp_path / "environment" / "bin"
    config = shutil.which("tvm-ffi-config")
    assert config is not None
    (programs / "tvm-ffi-config").symlink_to(config)
    variables = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(("CUDA", "NVCC", "PYTHON"))
    }
    variables |= {"PATH": f"{programs}:/usr/bin:/bin", "CLONE": str(ROOT)}
    done = subprocess.run(
        ["bash", script], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert b"sm_80" in (tmp_path / "add_one_cuda.so").read_bytes()
