# SPDX-License-Identifier: Apache-2.0
# Rows: R7
"""Code that knows only the layout that the ABI overview shows reads Maps and Dicts."""

import shlex
import subprocess
from pathlib import Path

import pytest
import tvm_ffi
from _verify.package_flags import flags

SOURCE = Path(__file__).with_name("map_layout.cc")
FLAGS = "-shared -fPIC -O1 -Wall -Wextra -Wconversion -Werror"


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    """The library that reads by the layout."""
    library = tmp_path_factory.mktemp("map_layout") / "map_layout.so"
    command = f"g++ {FLAGS} {flags('--cxxflags')} {SOURCE} -o {library}"
    command += f" {flags('--ldflags', '--libs')}"
    subprocess.run(shlex.split(command), check=True)
    return tvm_ffi.load_module(library)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 1000, 5000])
@pytest.mark.parametrize("make", ["map_of", "dict_of"])
def test_layout(module, make, n):
    """All keys are met on the way through the order, and each is in its home or on a chain."""
    pairs = getattr(module, make)(n)
    assert module.sum_of_keys(pairs) == sum(i * i for i in range(n))
    assert module.keys_not_at_home(pairs) == 0
