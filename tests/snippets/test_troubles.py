# SPDX-License-Identifier: Apache-2.0
# Rows: R6, R8
"""What the page on troubleshooting shows besides its doctests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tvm_ffi

PUBLISHED = "apache_tvm_ffi-0.1.15.post2.dist-info"


def import_beside(site):
    """Import the package from a folder in a Python of its own; give what it printed."""
    code = f"import site; site.addsitedir({str(site)!r}); import tvm_ffi"
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], env=environment, capture_output=True, text=True
    )
    lines = done.stderr.replace(str(site), "site-packages").splitlines()
    return "\n".join(line for line in lines if not line.startswith(" "))


def test_two_packages(captured, tmp_path):
    """Two distributions of the package in one folder are warned of, and refused where they mix."""
    installed = Path(tvm_ffi.__file__).parent
    shutil.copytree(installed, tmp_path / "tvm_ffi")
    for each in installed.parent.glob("*tvm_ffi_kernel_library.p*"):
        shutil.copy(each, tmp_path)
    assert import_beside(tmp_path) == ""
    (tmp_path / PUBLISHED).mkdir()
    (tmp_path / "tvm_ffi" / "core.cpython-311-x86_64-linux-gnu.so").touch()
    text = '$ python -c "import tvm_ffi"\n' + import_beside(tmp_path)
    captured("tests/snippets/captured/two_packages.txt", text)


def test_graph_break(shows):
    """With fullgraph=True, torch.compile refuses the call of a function that it cannot trace."""
    torch = pytest.importorskip("torch")
    shows("tests/snippets/test_troubles.py")
    kernel = tvm_ffi.Function(lambda x: None)

    # [graph_break.begin]
    def model(x):
        kernel(x)
        return x + 1

    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(model, fullgraph=True, backend="eager")(torch.ones(3))
    # [graph_break.end]


@pytest.mark.skipif(shutil.which("cuobjdump") is None, reason="cuobjdump is not installed")
def test_architectures(libraries):
    """The program cuobjdump lists the architectures of a library's machine code and of its PTX."""
    library = libraries / "scale_cuda.so"
    if not library.exists():
        pytest.skip("the libraries for CUDA are not built")

    def listed(kind):
        command = ["cuobjdump", f"--list-{kind}", library]
        lines = subprocess.check_output(command, text=True).splitlines()
        return {line.split(".")[-2] for line in lines if line.strip()}

    assert listed("elf") == {"sm_80", "sm_90"}
    assert listed("ptx") == {"sm_90"}
