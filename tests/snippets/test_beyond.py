# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R5, R8
"""One library on several devices and in several processes, as the page on that shows."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
THIS = "tests/snippets/test_beyond.py"
EXAMPLES = "examples/kernel_library"
JAX_CALL, TORCH_OP = f"{EXAMPLES}/jax_call/jax_call.py", f"{EXAMPLES}/torch_op/torch_op.py"


@pytest.fixture
def folder(libraries, tmp_path):
    """A folder with the libraries, and the Python files of two examples."""
    for name in ("torch_op_cpu.so", "workspace_cpu.so", "jax_call_cpu_adapter.so"):
        if (libraries / name).exists():
            (tmp_path / name).symlink_to(libraries / name)
    for path in (JAX_CALL, TORCH_OP):
        shutil.copy(ROOT / path, tmp_path)
    return tmp_path


@pytest.fixture
def jax_folder(folder):
    """The same, where JAX can call libraries."""
    pytest.importorskip("jax", reason="JAX is not installed")
    if not (folder / "jax_call_cpu_adapter.so").exists():
        pytest.skip("jax_call_cpu_adapter.so is not built")
    return folder


def run(folder, *command):
    """Run a command in the folder, with the Python of this test; give what it printed."""
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": scripts},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_script(folder, script, *arguments):
    """Run a copy of a Python file of the repository there."""
    return run(folder, sys.executable, shutil.copy(script, folder), *arguments)


def test_jax_mesh(shows, jax_folder):
    """Eight devices of JAX compute the bits of one."""
    script = shows("tests/snippets/beyond/jax_mesh.py", JAX_CALL, THIS)
    assert "the bits of one" in run_script(jax_folder, script)


def test_jax_without_shard_map(shows, jax_folder):
    """With shard_map the kernel sees a shard, on a thread for each device; else the whole array."""
    script = shows("tests/snippets/beyond/jax_calls.py", JAX_CALL, THIS)
    assert "gathered without" in run_script(jax_folder, script)


def test_jax_workspace(shows, jax_folder):
    """XLA allocates a workspace on each device, if it is an output."""
    script = shows("tests/snippets/beyond/jax_workspace.py", JAX_CALL, THIS)
    assert "one result" in run_script(jax_folder, script)


def test_devices_by_a_flag(jax_folder, monkeypatch):
    """The flag of XLA makes eight devices of one CPU."""
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
    count = "import jax; print(len(jax.devices('cpu')))"
    assert run(jax_folder, sys.executable, "-c", count) == "8\n"


def test_jax_warns_of_a_fork(jax_folder):
    """JAX warns that a fork may hang."""
    fork = "import os, jax; jax.devices(); os.fork() or os._exit(0); os.wait()"
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", fork]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert "JAX is multithreaded, so this will likely lead to a deadlock" in done.stderr


def test_dtensor(shows, folder):
    """Two processes of PyTorch compute the bits of one, gradients too."""
    distributed = pytest.importorskip("torch.distributed", reason="PyTorch is not installed")
    if not (distributed.is_available() and distributed.is_gloo_available()):
        pytest.skip("this PyTorch has no gloo")
    script = shows("tests/snippets/beyond/dtensor.py", TORCH_OP, THIS)
    launch = shows("tests/snippets/beyond/launch.sh", "tests/snippets/beyond/dtensor.py", THIS)
    said = run(folder, "bash", shutil.copy(launch, folder), shutil.copy(script, folder))
    for process in (0, 1):
        assert f"process {process} has the bits of a single one" in said


def test_dask(shows, folder):
    """Two workers of Dask, each with the library loaded once, compute the bits of one process."""
    pytest.importorskip("distributed", reason="Dask's distributed is not installed")
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    assert dask.config.get("distributed.worker.multiprocessing-method") == "spawn"
    task = shows("tests/snippets/beyond/dask_kernels.py", THIS)
    script = shows("tests/snippets/beyond/dask_workers.py", task, THIS)
    shutil.copy(task, folder)
    assert "the bits of one process" in run_script(folder, script)


def test_dask_task(shows, folder, monkeypatch):
    """The task copies an array at an odd address, an empty one too, and no other."""
    pytest.importorskip("distributed", reason="Dask's distributed is not installed")
    path = shows("tests/snippets/beyond/dask_kernels.py", THIS)
    spec = importlib.util.spec_from_file_location("dask_kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    worker, passed = SimpleNamespace(), []
    module.Kernels(folder / "torch_op_cpu.so").setup(worker)
    kernel = worker.kernels.relu_squared
    worker.kernels = SimpleNamespace(relu_squared=lambda x, y: (passed.append(x), kernel(x, y)))
    monkeypatch.setattr(module, "get_worker", lambda: worker)
    for offset in range(5):
        for n in (0, 3):
            x = numpy.frombuffer(bytearray(b"\0\0\x40\x40" * 5), "float32", 3, offset)[:n]
            y, _ = module.relu_squared(x)
            assert (passed.pop() is x) == (x.ctypes.data % 4 == 0)
            assert y.tolist() == (numpy.maximum(x, 0) ** 2).tolist()


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_shared_memory(shows, folder, method):
    """A kernel of another process writes into memory that PyTorch shares."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    script = shows("tests/snippets/beyond/processes.py", THIS)
    assert "filled the tensor" in run_script(folder, script, method)


def test_store_of_each_process(shows, folder):
    """A spawned process has an empty store, a forked one a copy; neither changes the parent's."""
    script = shows("tests/snippets/beyond/store_of_each.py", THIS)
    assert "its own store" in run_script(folder, script)
