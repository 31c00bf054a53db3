# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8, R9
"""The page on launch features: what reaches CUDA, over a fake runtime; results where a GPU is."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import torch
import tvm_ffi
from _verify.tools import find_nvcc

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "tests/snippets/launch"
TEST = "tests/snippets/test_launch.py"
CAPTURED = "tests/snippets/captured"
UTILITIES = "examples/kernel_library/tvm_ffi_utils.h"
FAKE = f"{FOLDER}/fake_runtime.cc"
SOURCES = [
    f"{FOLDER}/{name}.cu"
    for name in ("shared_memory", "persistent", "cooperative", "cluster", "dependent")
]
sys.path[:0] = [str(ROOT / name) for name in ("tests/examples", "tests/machine_code")]

from disassembly import contained, find_tool  # noqa: E402  (in a folder that was just named)
from producer import FLOAT32, Producer  # noqa: E402

# Of the fake devices: compute capability 9.0, 8.6 and 5.2.
HOPPER, AMPERE, MAXWELL = range(3)
OPTIN = {HOPPER: 232448, AMPERE: 101376, MAXWELL: 49152}
MULTIPROCESSORS = 3
RESIDENT = {HOPPER: 8, AMPERE: 6, MAXWELL: 4}


@pytest.fixture(scope="session")
def folder(request, tmp_path_factory):
    """Where the script of the page has built the library, without a GPU over the fake runtime."""
    nvcc = find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc is installed")
    made = tmp_path_factory.mktemp("launch")
    for path in (*SOURCES, UTILITIES, f"{FOLDER}/build.sh"):
        shutil.copy(ROOT / path, made)
    # The published headers have warnings.
    strict = "SYSTEM_HEADERS" not in os.environ
    more = "-Xcompiler -Wall,-Wextra,-Werror -Werror all-warnings" if strict else ""
    if request.config.getoption("--snippet-device") == "cpu":
        more += f" -cudart=none -Xlinker -Bsymbolic {ROOT / FAKE}"
    appended = f"{nvcc.get('NVCC_APPEND_FLAGS', '')} {more}".strip()
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, **nvcc, "NVCC_APPEND_FLAGS": appended, "PATH": scripts}
    done = subprocess.run(
        ["bash", "build.sh"], cwd=made, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not strict or "warning" not in done.stdout + done.stderr
    return made


@pytest.fixture
def mod(folder, shows):
    """The library, as a test of each of its files."""
    files = [*SOURCES, f"{FOLDER}/build.sh"]
    for path in files:
        shows(path, *{*files, UTILITIES, FAKE, TEST} - {path})
    mod = tvm_ffi.load_module(folder / "launch_features.so")
    if hasattr(mod, "fake_log"):
        mod.fake_log()
    return mod


@pytest.fixture
def fake(mod, device):
    """The same, where the runtime is the fake one."""
    if device == "cuda":
        pytest.skip("it is about the fake runtime")
    yield mod
    mod.fake_clusters(2)
    mod.fake_ptx_version(0)


class Fake(Producer):
    """A tensor of any shape on a fake device, in the memory of the CPU."""

    def __init__(self, *shape, index=HOPPER, kind=FLOAT32):
        count = max(int(numpy.prod(shape)), 1)
        super().__init__(numpy.zeros(count, "float64"), count, kind, device=(2, index))
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.managed.dl_tensor.ndim = len(shape)
        self.managed.dl_tensor.shape = self.shape


def error_of(call, *arguments):
    """What a page shows of the ValueError that a call raises."""
    with pytest.raises(ValueError, match=r"must be on|must be of") as caught:
        call(*arguments)
    return f"ValueError: {caught.value}"


def launches(fake):
    """The launches since the last call."""
    return [line for line in fake.fake_log().splitlines() if line.startswith("launch")]


def launch(kernel, device, grid, block=256, shared=0, more=""):
    """What the fake runtime writes of a launch on the default stream."""
    return (
        f"launch {kernel}_kernel on {device}: grid {grid},1,1 block {block},1,1 "
        f"shared {shared} stream 0{more}"
    )


@pytest.mark.parametrize("index", OPTIN)
def test_shared_memory(fake, index):
    """A row may take all that a block of its device may have; one more element is an error."""
    most = OPTIN[index] // 4
    x = Fake(3, most, index=index)
    fake.reverse_rows(x, Fake(3, most, index=index))
    assert launches(fake) == [launch("reverse", index, 3, shared=OPTIN[index])]
    long = Fake(3, most + 1, index=index)
    message = (
        f"reverse_rows: x must be of rows of at most {OPTIN[index]} bytes, the shared memory of "
        f"a block on cuda:{index}, got shape (3, {most + 1}) of float32"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        fake.reverse_rows(long, Fake(3, most + 1, index=index))
    assert launches(fake) == []


def test_messages(fake, captured):
    """The messages that the page shows."""
    long = [Fake(4, 50_000, index=AMPERE) for _ in range(2)]
    captured(f"{CAPTURED}/launch_shared_memory.txt", error_of(fake.reverse_rows, *long))
    rows = Fake(2, 3, index=AMPERE), Fake(2, index=AMPERE)
    captured(f"{CAPTURED}/launch_cluster.txt", error_of(fake.sum_rows, *rows))


@pytest.mark.parametrize("static", [0, 1040])
def test_shared_memory_limit_is_set_once(folder, device, static):
    """The first call on each device asks and sets what static memory leaves; later ones launch."""
    if device == "cuda":
        pytest.skip("it is about the fake runtime")
    call = (
        "import sys; sys.path += sys.argv[2:]; import tvm_ffi\n"
        "from test_launch import Fake\n"
        "mod = tvm_ffi.load_module(sys.argv[1])\n"
        f"mod.fake_static_shared({static})\n"
        "for index in (0, 1, 0, 1):\n"
        "    mod.reverse_rows(Fake(1, 9, index=index), Fake(1, 9, index=index))\n"
        "print(mod.fake_log())"
    )
    paths = [str(ROOT / name) for name in ("tests/snippets", "docs")]
    command = [sys.executable, "-c", call, str(folder / "launch_features.so"), *paths]
    said = subprocess.check_output(command, text=True).splitlines()
    first, second = (
        [
            f"attribute of {index}",
            f"limit of reverse_kernel on {index}: {OPTIN[index] - static}",
            launch("reverse", index, 1, shared=36),
        ]
        for index in (HOPPER, AMPERE)
    )
    assert said[:-1] == [*first, *second, first[-1], second[-1]]


@pytest.mark.parametrize("index", OPTIN)
@pytest.mark.parametrize("n", [1, 1024, 1025, 10_000, 1 << 20])
def test_persistent(fake, index, n):
    """As many blocks as tiles, and at most as many as the device runs at once."""
    fake.square(Fake(n, index=index), Fake(n, index=index))
    most = MULTIPROCESSORS * RESIDENT[index]
    assert launches(fake) == [launch("square", index, min(-(-n // 1024), most))]


@pytest.mark.parametrize("parts", [1, 7, 1000])
@pytest.mark.parametrize("index", [HOPPER, AMPERE])
@pytest.mark.parametrize("n", [1, 257, 1 << 20])
def test_cooperative(fake, index, n, parts):
    """No more blocks than are resident at once, and than there are parts."""
    fake.divide_by_sum(Fake(n, index=index), Fake(parts, index=index), Fake(n, index=index))
    grid = min(-(-n // 256), MULTIPROCESSORS * RESIDENT[index], parts)
    assert launches(fake) == [launch("divide_by_sum", index, grid, more=" cooperative")]


def test_cooperative_refused(fake):
    """A device without cooperative launches is named."""
    x, parts = Fake(9, index=MAXWELL), Fake(9, index=MAXWELL)
    message = "divide_by_sum: x must be on a device that has cooperative launches, got cuda:2"
    with pytest.raises(ValueError, match=message):
        fake.divide_by_sum(x, parts, Fake(9, index=MAXWELL))
    with pytest.raises(ValueError, match="divide_by_sum: parts must be of 1 element or more"):
        fake.divide_by_sum(Fake(9), Fake(0), Fake(9))
    assert launches(fake) == []


@pytest.mark.parametrize("rows", [1, 2, 3, 1000])
def test_cluster(fake, rows):
    """A cluster of four blocks for each row, and at most as many as the device runs at once."""
    fake.sum_rows(Fake(rows, 100), Fake(rows))
    expected = launch("sum_rows", HOPPER, 4 * min(rows, 2), more=" cluster 4,1,1")
    assert launches(fake) == [expected]


@pytest.mark.parametrize(("index", "has"), [(AMPERE, "8.6"), (MAXWELL, "5.2")])
def test_cluster_refused(fake, index, has):
    """An older device is named with what it has; so is one with older code, or without room."""
    message = (
        "sum_rows: x must be on a device that has clusters, of compute capability 9.0 or newer, "
        f"got cuda:{index} of compute capability {has}"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        fake.sum_rows(Fake(2, 3, index=index), Fake(2, index=index))
    fake.fake_ptx_version(80)
    message = (
        "sum_rows: x must be on a device for which this library has code of compute capability 9.0 "
        "or newer, got cuda:0, which runs code of 8.0"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        fake.sum_rows(Fake(2, 3), Fake(2))
    fake.fake_ptx_version(0)
    fake.fake_clusters(0)
    message = "x must be on a device with room for a cluster of 4 blocks, got cuda:0"
    with pytest.raises(ValueError, match=message):
        fake.sum_rows(Fake(2, 3), Fake(2))
    assert launches(fake) == []


@pytest.mark.parametrize(
    ("index", "ptx", "overlaps"),
    [(HOPPER, 0, True), (HOPPER, 80, False), (AMPERE, 0, False), (MAXWELL, 0, False)],
)
def test_dependent(fake, index, ptx, overlaps):
    """The second launch may overlap where its code waits; not in code for an older device."""
    fake.fake_ptx_version(ptx)
    fake.multiply_add(Fake(1000, index=index), 2.0, Fake(1, index=index), Fake(1000, index=index))
    more = " overlap" if overlaps else ""
    first, second = launch("multiply", index, 4), launch("add", index, 4, more=more)
    assert launches(fake) == [first, second]


def calls(make):
    """A call of each function, with a vector or a matrix of zeros made by `make`."""
    return {
        "reverse_rows": [make(2, 3), make(2, 3)],
        "square": [make(6), make(6)],
        "divide_by_sum": [make(6), make(4), make(6)],
        "sum_rows": [make(2, 3), make(2)],
        "multiply_add": [make(6), 2.0, make(1), make(6)],
    }


@pytest.mark.parametrize("name", calls(Fake))
def test_arguments(fake, name):
    """Each tensor is on one GPU, of float32 and of its shape; nothing is launched otherwise."""
    good = calls(Fake)[name]
    tensors = [place for place, each in enumerate(good) if isinstance(each, Fake)]
    for place in tensors:
        shape = tuple(good[place].shape)
        odd = {
            "device": Fake(*shape, index=AMPERE),
            "dtype": Fake(*shape, kind=(2, 64)),
            "cpu": torch.zeros(shape),
        }
        for what, other in odd.items():
            arguments = [*good[:place], other, *good[place + 1 :]]
            with pytest.raises(TypeError if what == "dtype" else ValueError, match=f"^{name}: "):
                fake[name](*arguments)
    if name not in ("divide_by_sum", "multiply_add"):
        with pytest.raises(ValueError, match=f"^{name}: y must"):
            fake[name](good[0], Fake(5))
    assert launches(fake) == []


@pytest.mark.parametrize("name", calls(Fake))
def test_streams_and_nothing(fake, name):
    """The current stream gets the launch; empty tensors launch nothing."""
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", 0), 7):
        fake[name](*calls(Fake)[name])
    assert all(" stream 7" in line for line in launches(fake))
    empty = {
        "reverse_rows": [Fake(0, 3), Fake(0, 3)],
        "square": [Fake(0), Fake(0)],
        "divide_by_sum": [Fake(0), Fake(4), Fake(0)],
        "sum_rows": [Fake(0, 3), Fake(0)],
        "multiply_add": [Fake(0), 2.0, Fake(1), Fake(0)],
    }
    fake[name](*empty[name])
    assert launches(fake) == []


# Of each kernel, instructions that it has on an architecture and those that it has not.
NEWER = {"sm_90", "sm_100"}


@pytest.mark.skipif(not shutil.which(find_tool("cuobjdump")), reason="cuobjdump is not installed")
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_machine_code(folder, mod, architecture):
    """The instructions of waiting, triggering and barriers, in their places; from sm_90 on."""
    found = contained(folder / "launch_features.so", architecture)
    opcodes = {
        re.sub(r"\(.*", "", name): [each.base for each in code.instructions]
        for name, code, _ in found
    }
    assert len(opcodes) == 6
    newer = architecture in NEWER
    for kernel, opcode in (
        ("add_kernel", "ACQBULK"),
        ("multiply_kernel", "PREEXIT"),
        ("sum_rows_kernel", "UCGABAR_ARV"),
        ("sum_rows_kernel", "UCGABAR_WAIT"),
    ):
        having = {name for name, each in opcodes.items() if opcode in each}
        assert having == ({kernel} if newer else set()), opcode
    order = {
        name: [each for each in found if each in ("LDG", "STG", "ACQBULK", "PREEXIT")]
        for name, found in opcodes.items()
    }
    if newer:  # The bias is loaded before the wait, and y after it.
        assert order["add_kernel"][:3] == ["LDG", "ACQBULK", "LDG"]
        assert order["multiply_kernel"][0] == "PREEXIT"
        barriers = [opcodes["sum_rows_kernel"].count(f"UCGABAR_{each}") for each in ("ARV", "WAIT")]
        assert barriers == [2, 2]
    assert opcodes["reverse_kernel"].count("BAR") == 2
    assert "ATOM" in opcodes["divide_by_sum_kernel"] or "ATOMG" in opcodes["divide_by_sum_kernel"]


@pytest.mark.parametrize("n", [1, 3, 1000, 25_000])
def test_results(mod, device, n):
    """On a GPU, each function computes what float64 does."""
    if device == "cpu":
        pytest.skip("the fake runtime runs no kernel")
    x = torch.rand(3, n, device="cuda")
    y = torch.full_like(x, float("nan"))
    mod.reverse_rows(x, y)
    assert torch.equal(y, x.flip(1))
    mod.square(x, y)
    assert torch.equal(y, x * x)
    parts = torch.full((1000,), float("nan"), device="cuda")
    mod.divide_by_sum(x, parts, y)
    torch.testing.assert_close(y.double(), x.double() / x.double().sum(), rtol=1e-5, atol=0)
    bias = torch.rand(1, device="cuda")
    for _ in range(20):
        mod.multiply_add(x, 2.0, bias, y.fill_(float("nan")))
        torch.testing.assert_close(y.double(), 2 * x.double() + bias.double())
    if torch.cuda.get_device_capability() >= (9, 0):
        sums = torch.full((3,), float("nan"), device="cuda")
        mod.sum_rows(x, sums)
        torch.testing.assert_close(sums.double(), x.double().sum(1), rtol=1e-5, atol=0)


def test_graph(mod, device):
    """On a GPU, a graph replays cooperative and overlapping launches on new inputs."""
    if device == "cpu":
        pytest.skip("the fake runtime runs no kernel")
    x, y, z = (torch.rand(1000, device="cuda") for _ in range(3))
    parts, bias = torch.empty(1000, device="cuda"), torch.rand(1, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        mod.divide_by_sum(x, parts, y)
        mod.multiply_add(x, 2.0, bias, z)
    for _ in range(3):
        x.uniform_(1, 2)
        graph.replay()
        torch.testing.assert_close(y.double(), x.double() / x.double().sum(), rtol=1e-5, atol=0)
        torch.testing.assert_close(z.double(), 2 * x.double() + bias.double())
