# SPDX-License-Identifier: Apache-2.0
"""Libraries of the examples and the planted functions, built for the emulation."""

from pathlib import Path

import emulate
import pytest
import tvm_ffi


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A function that builds an example once and loads it."""
    loaded = {}

    def build(example):
        if example not in loaded:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(emulate, "OUTPUT", tmp_path_factory.mktemp(example))
                loaded[example] = tvm_ffi.load_module(emulate.build(example, ["-O0"]))
        mod = loaded[example]
        mod.refuse_launch(-1)
        mod.fail_call(-1)
        return mod

    return build


@pytest.fixture(scope="session")
def planted(tmp_path_factory):
    """The planted functions, loaded."""
    source = Path(__file__).with_name("planted.cu")
    library = tmp_path_factory.mktemp("planted") / "planted.so"
    return tvm_ffi.load_module(emulate.build_source(source, library, ["-O0"]))
