# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R4, R8
"""What the page on troubleshooting shows besides its doctests."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import tvm_ffi

ROOT = Path(__file__).resolve().parents[2]
PRODUCER = "tests/examples/producer.py"
PUBLISHED = "apache_tvm_ffi-0.1.15.post2.dist-info"


def load_producer():
    """Load the DLPack producer that says what it is told."""
    spec = importlib.util.spec_from_file_location("producer", ROOT / PRODUCER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FLOAT32 = (2, 32)
Producer = load_producer().Producer


def test_stream_of_an_object(shows):
    """An object's own stream is current during a call, also after from_dlpack, and only then."""
    shows("tests/snippets/test_troubles.py", PRODUCER)
    memory = numpy.zeros(3, dtype="float32")

    # [env_stream.begin]
    class Lent(Producer):
        def __tvm_ffi_env_stream__(self):
            return 0x1234

    gpu = tvm_ffi.device("cuda", 0)
    current = tvm_ffi.Function(lambda x: tvm_ffi.get_raw_stream(gpu))
    x = Lent(memory, size=3, dtype=FLOAT32, device=(2, 0))
    assert current(x) == 0x1234
    imported = tvm_ffi.from_dlpack(x)
    assert tvm_ffi.get_raw_stream(gpu) == 0
    assert current(imported) == 0x1234
    # [env_stream.end]
    assert tvm_ffi.get_raw_stream(gpu) == 0


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
    """torch.compile cannot trace the call of a kernel; an operator made of it can be traced."""
    torch = pytest.importorskip("torch")
    shows("tests/snippets/test_troubles.py")
    double = tvm_ffi.Function(lambda x: None)

    # [graph_break.begin]
    def model(x):
        double(x)
        return x + 1

    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(model, fullgraph=True, backend="eager")(torch.ones(3))
    # [graph_break.end]
