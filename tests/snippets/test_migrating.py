# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R2, R6, R8
"""An extension of PyTorch, and the kernel library that it becomes: the same calls, compared."""

import importlib.util
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import torch
import tvm_ffi
from _verify.package_flags import flags

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "tests/snippets/migrating"
UTILITIES = "examples/kernel_library/tvm_ffi_utils.h"
FILES = [
    *(f"{FOLDER}/{name}" for name in ("extension.cc", "library.cc", "build.sh")),
    UTILITIES,
    "tests/snippets/test_migrating.py",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with both: the extension compiled against PyTorch, the library without it."""
    folder = tmp_path_factory.mktemp("migrating")
    pytorch = Path(importlib.util.find_spec("torch").origin).parent
    new_abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"
    # Nothing is optimized: PyTorch's headers take ten seconds as it is.
    compile_extension = [
        *("g++", "-std=c++20", "-O0", "-fPIC", "-shared", new_abi),
        *(str(ROOT / FOLDER / "extension.cc"), "-o", "silu_extension.so"),
        *(f"-I{pytorch / 'include'}", f"-L{pytorch / 'lib'}", "-ltorch", "-ltorch_cpu", "-lc10"),
    ]
    for name in FILES[1:4]:
        os.symlink(ROOT / name, folder / Path(name).name)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    for command in compile_extension, ["bash", "build.sh"]:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def both(shows, folder):
    """The extension's operators, and the library; the test proves what it calls of both."""
    for name in FILES:
        if name != UTILITIES:  # of which only the part for CPUs is compiled here
            shows(name, *FILES)
    torch.ops.load_library(folder / "silu_extension.so")
    return torch.ops.silu, tvm_ffi.load_module(folder / "silu.so")


@pytest.mark.parametrize("name", ["call_before.py", "call_after.py"])
def test_callers(shows, folder, name, monkeypatch):
    """Both callers of the page run, and get the right results."""
    monkeypatch.chdir(folder)
    runpy.run_path(str(shows(f"{FOLDER}/{name}", *FILES)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(2,), (3, 10), (2, 3, 4), (0, 4)])
def test_the_kernel(both, dtype, shape):
    """The kernel gives the same bits, wherever its output is allocated."""
    # [compare.begin]
    extension, mod = both
    torch.manual_seed(0)
    x = torch.randn(shape, dtype=getattr(torch, dtype))
    y = x.new_empty(*shape[:-1], shape[-1] // 2)
    mod.silu_and_mul(x, y)
    assert torch.equal(y, extension.silu_and_mul(x))
    # [compare.end]


def test_the_kernel_refuses(both):
    """What the extension refuses, the library refuses too, and strides besides."""
    extension, mod = both
    odd = torch.ones(3)
    for call in (lambda: extension.silu_and_mul(odd), lambda: mod.silu_and_mul(odd, odd)):
        with pytest.raises(ValueError, match="the last size of x must be even"):
            call()
    with pytest.raises(ValueError, match="y must be like x, with half of its last size"):
        mod.silu_and_mul(torch.ones(4), torch.ones(4))
    strided = torch.ones(4, 4).t()[:, :2]
    assert extension.silu_and_mul(strided).shape == (4, 1)
    with pytest.raises(ValueError, match="x must be contiguous"):
        mod.silu_and_mul(strided, torch.ones(4, 1))


# [metadata.begin]
TENSORS = {
    "dense": torch.arange(12.0).reshape(3, 4),
    "transposed": torch.arange(12.0).reshape(3, 4).t(),
    "slice": torch.arange(12.0).reshape(3, 4)[1:, 1:3],  # its storage offset is 5
    "float64": torch.ones(2, 3, dtype=torch.float64),
    "bfloat16": torch.ones(4, dtype=torch.bfloat16),
    "bool": torch.ones(2, 2, dtype=torch.bool),
    "empty": torch.ones(0, 3),
}


@pytest.mark.parametrize("name", TENSORS)
def test_metadata(both, name):
    """Both describe a tensor alike."""
    extension, mod = both
    numbers, dense = mod.describe(TENSORS[name])
    assert (list(numbers), dense) == extension.describe(TENSORS[name])
    # [metadata.end]


def test_elements(both):
    """The address is that of the first element, also of a slice."""
    extension, mod = both
    x = TENSORS["slice"]
    # [offset.begin]
    assert x.storage_offset() == 5
    assert mod.second(x) == extension.second(x) == 6.0
    # [offset.end]
    with pytest.raises(TypeError, match="x must be float32, got float64"):
        mod.second(x.double())
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        extension.second(x.double())
    for second in (extension.second, mod.second):
        with pytest.raises(IndexError, match="x has no second element"):
            second(x[:1, :1])


def test_accessor(both):
    """An address and strides reach the elements that PyTorch's accessor reaches."""
    extension, mod = both
    for name in ("dense", "transposed", "slice", "empty"):
        a, b = mod.row_sums(TENSORS[name]), extension.row_sums(TENSORS[name])
        assert type(a) is torch.Tensor
        assert torch.equal(a, b)
    # [accessor.begin]
    x = TENSORS["slice"]
    assert x.stride() == (4, 1)
    assert mod.row_sums(x).tolist() == extension.row_sums(x).tolist() == [11.0, 19.0]
    with pytest.raises(TypeError, match="x must be float32, got float64"):
        mod.row_sums(x.double())
    with pytest.raises(ValueError, match="x must be 2-dimensional, got 1"):
        mod.row_sums(x[0])
    # [accessor.end]
    for bad in (x.double(), x[0]):
        with pytest.raises(RuntimeError):
            extension.row_sums(bad)


def alike(a, b):
    """Whether two tensors are alike in all but the elements."""
    return (a.shape, a.stride(), a.dtype, a.device) == (b.shape, b.stride(), b.dtype, b.device)


def test_allocation(both):
    """Tensors made on both sides are alike, and are PyTorch's for Python."""
    extension, mod = both
    x = torch.ones(2, 3, dtype=torch.float16)
    for name, arguments in [
        ("pairs", (5,)),
        ("same_again", ()),
        ("counters", (6,)),
        ("counters", (0,)),
    ]:
        a, b = mod[name](x, *arguments), getattr(extension, name)(x, *arguments)
        assert type(a) is torch.Tensor
        assert alike(a, b)
    assert mod.counters(x, 6).tolist() == [0] * 6
    sizes, dtype, device = [2, 3], torch.bfloat16, torch.device("cpu")
    b = extension.empty_of(sizes, dtype, device)
    a = mod.empty_of(sizes, "bfloat16", device)
    assert isinstance(a, tvm_ffi.Tensor)
    assert alike(torch.from_dlpack(a), b)


def test_allocation_with_strides(both, shows, tmp_path):
    """The strides are those of at::empty_strided."""
    source = shows(f"{FOLDER}/strided.cc", "tests/snippets/test_migrating.py")
    library = tmp_path / "strided.so"
    command = f"g++ -O1 -Wall -Wextra -Werror -shared -fPIC {flags('--cxxflags')} {source}"
    command += f" -o {library} {flags('--ldflags', '--libs')}"
    subprocess.run(shlex.split(command), check=True)
    x = torch.ones(2, 2)
    a, b = tvm_ffi.load_module(library).columns(x, 3, 4), both[0].columns(x, 3, 4)
    assert alike(a, b)
    assert a.stride() == (1, 3)


def test_the_allocator(both):
    """Memory comes from the allocator of at::empty: PyTorch's profiler sees the same bytes."""
    extension, mod = both

    # [allocator.begin]
    def taken(call):
        with torch.profiler.profile(profile_memory=True) as profile:
            result = call()
        bytes_taken = [event.cpu_memory_usage for event in profile.events()]
        assert result.nbytes == 1000 * 2 * 4
        return max(bytes_taken)

    x = torch.ones(1)
    mod.pairs(x, 1000), extension.pairs(x, 1000)  # what the first call alone does is not counted
    assert taken(lambda: mod.pairs(x, 1000)) == taken(lambda: extension.pairs(x, 1000)) == 8000
    # [allocator.end]


def test_views(both):
    """A view that a function returns keeps the tensor that it looks at alive."""
    extension, mod = both
    # [views.begin]
    x = torch.arange(12.0).reshape(3, 4)
    for name, arguments in [("diagonal", ()), ("as_rows", (6,)), ("rows_between", (1, 3))]:
        a, b = mod[name](x, *arguments), getattr(extension, name)(x, *arguments)
        assert a.tolist() == b.tolist()
        assert (a.data_ptr(), a.stride()) == (b.data_ptr(), b.stride())
    del x
    assert a[0].tolist() == [4.0, 5.0, 6.0, 7.0]
    # [views.end]
    with pytest.raises(ValueError, match="x must be contiguous"):
        mod.as_rows(torch.ones(2, 3).t(), 3)
    for cols in (0, 4, -2):
        with pytest.raises(ValueError, match=f"as_rows: cols must divide 6, got {cols}"):
            mod.as_rows(torch.ones(2, 3), cols)
    for first, last in [(-1, 1), (0, 3), (2, 1)]:
        with pytest.raises(IndexError, match=f"expected rows of 2, got {first} to {last}"):
            mod.rows_between(torch.ones(2, 3), first, last)
    with pytest.raises(ValueError, match="diagonal: x has more rows than columns"):
        mod.diagonal(torch.ones(3, 2))


FAILS = [  # (argument, exception, message)
    (torch.ones(0, 2), RuntimeError, "check: x must not be empty"),
    (torch.ones(2), ValueError, "check: x must be 2-dimensional, got 1"),
    (torch.ones(2, 2).int(), TypeError, "check: x must be float32"),
    (torch.ones(1, 2), IndexError, "check: x has no row 1"),
    (torch.ones(2, 3).t(), NotImplementedError, "check: x has strides"),
    (torch.ones(13, 2), ValueError, "check: x has 13 rows"),
]


@pytest.mark.parametrize(("x", "kind", "message"), FAILS)
def test_checks(both, x, kind, message):
    """Each check becomes the same exception of Python."""
    for check in (each.check for each in both):
        check(torch.ones(2, 2))
        with pytest.raises(kind, match=f"^{re.escape(message)}") as caught:
            check(x)
        assert caught.type is kind


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_dispatch(both, dtype):
    """The same dtypes reach the same code; another one is an error of both."""
    extension, mod = both
    x = torch.linspace(-1, 2, 7).to(getattr(torch, dtype))
    assert mod.total(x) == extension.total(x)
    with pytest.raises(NotImplementedError, match="\"total\" not implemented for 'Int'"):
        extension.total(x.int())
    with pytest.raises(TypeError, match="expected float32, float64, float16 or bfloat16"):
        mod.total(x.int())


def test_narrow_floats(both):
    """A type of 16 bits rounds alike."""
    extension, mod = both
    for value in (1.0, 1.00390625, 1.005, 3.0e38, -0.1):
        assert mod.round_to_bfloat16(value) == extension.round_to_bfloat16(value)


def test_values(both):
    """Numbers, texts, lists and what is optional are passed alike."""
    extension, mod = both
    # [values.begin]
    for arguments in [(None, [1, 2], True, "a"), (0.5, [], False, "b")]:
        assert mod.describe_call(*arguments) == extension.describe_call(*arguments)
    xs = [torch.ones(2), torch.ones(3, 3), torch.ones(4)]
    for largest, kind in [(mod.largest, tvm_ffi.Array), (extension.largest, tuple)]:
        result = largest(xs)
        assert type(result) is kind
        best, size = result
        assert (best.data_ptr(), size) == (xs[1].data_ptr(), 9)
    assert not isinstance(mod.largest(xs), tuple)
    # [values.end]
    for largest in (extension.largest, mod.largest):
        with pytest.raises(ValueError, match="xs must not be empty"):
            largest([])


def test_names_of_torch(both):
    """PyTorch's torch/types.h, of torch/extension.h, puts the names of at into torch."""
    include = Path(importlib.util.find_spec("torch").origin).parent / "include"
    types = (include / "torch/csrc/api/include/torch/types.h").read_text()
    assert re.search(r"^namespace torch \{\s(\s*//.*\n)+using namespace at;", types, re.MULTILINE)


def test_numpy(both):
    """The library has no other framework in it: NumPy's arrays are taken as they are."""
    _, mod = both
    x = numpy.array([1.0, 2.0, 3.0], dtype="float32")
    assert mod.second(x) == 2.0
    assert type(mod.pairs(x, 2)) is numpy.ndarray


def test_headers_for_cuda(shows):
    """The CPU build of PyTorch lacks a header that all of its headers for CUDA include."""
    if torch.version.cuda or torch.version.hip:
        pytest.skip("this PyTorch is no CPU build")
    include = Path(importlib.util.find_spec("torch").origin).parent / "include"
    source = f'#include "{include}/c10/cuda/CUDAGuard.h"\n'
    done = subprocess.run(
        ["g++", "-std=c++20", "-fsyntax-only", f"-I{include}", "-x", "c++", "-"],
        input=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "c10/cuda/impl/cuda_cmake_macros.h: No such file" in done.stderr or (
        "cuda_runtime" in done.stderr and done.returncode != 0
    )
