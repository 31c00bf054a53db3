# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Containers, as their page shows them."""

import shlex
import subprocess
from pathlib import Path

import numpy
import pytest
import tvm_ffi
from _verify.package_flags import flags

HERE = Path(__file__).resolve().parent
FLAGS = "-shared -fPIC -O1 -Wall -Wextra -Wconversion -Werror"
# What each of the shown files is run with.
SHOWN = ["tests/snippets/containers.cc", "tests/snippets/test_containers.py"]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library of the page."""
    library = tmp_path_factory.mktemp("containers") / "containers.so"
    command = f"g++ {FLAGS} {flags('--cxxflags')} containers.cc -o {library}"
    command += f" {flags('--ldflags', '--libs')}"
    subprocess.run(shlex.split(command), cwd=HERE, check=True)
    return library


@pytest.fixture
def mod(library, shows):
    """The library; the test proves what it calls of it, and itself."""
    shows("tests/snippets/containers.cc", *SHOWN)
    shows("tests/snippets/test_containers.py", *SHOWN)
    return tvm_ffi.load_module(library)


def test_pass_and_read(mod):
    """A list of tensors goes in, a mapping comes out, and nothing is copied."""
    # [pass.begin]
    small, large = numpy.zeros(2), numpy.zeros((3, 4))
    facts = mod.describe([small, large])
    assert facts["sizes"] == [2, 12]
    assert type(facts["largest"]) is numpy.ndarray
    facts["largest"][0, 0] = 1
    assert large[0, 0] == 1
    with pytest.raises(TypeError, match=r"describe: argument 0 \(list\): element 1 \(set\)"):
        mod.describe([small, {1}])
    # [pass.end]
    with pytest.raises(TypeError, match=r"expected Array\[Tensor\], got Array"):
        mod.describe([small, "large"])
    with pytest.raises(ValueError, match="describe: expected a tensor, got none"):
        mod.describe([])


def test_share(mod):
    """What C++ adds to a List or a Dict is there in Python, and the other way round."""
    # [share.begin]
    losses = tvm_ffi.List()
    mod.record(losses, 0.5)
    losses.append(0.25)
    mod.record(losses, 0.125)
    assert losses == [0.5, 0.25, 0.125]

    words = tvm_ffi.Dict({"tensor": 1})
    for word in ("tensor", "kernel"):
        mod.count(words, word)
    assert words == {"tensor": 2, "kernel": 1}
    # [share.end]


def test_converted_lists_are_copies(mod):
    """A List whose elements need a conversion is copied, so that the caller sees no change."""
    # [copy.begin]
    integers = tvm_ffi.List([1, 2])
    mod.record(integers, 0.5)
    assert integers == [1, 2]
    plain = [0.5]
    mod.record(plain, 0.25)
    assert plain == [0.5]
    # [copy.end]
