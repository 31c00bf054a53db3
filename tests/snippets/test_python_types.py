# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Object types and enumerations that Python defines, as their page shows them."""

# ruff: noqa: I001  (the imports that the page shows are together)
import shlex
import subprocess

from _verify.package_flags import flags

# [imports.begin]
import copy
import pickle
from pathlib import Path
from typing import ClassVar

import pytest
import tvm_ffi
from tvm_ffi.dataclasses import (
    Enum,
    IntEnum,
    StrEnum,
    auto,
    entry,
    field,
    gen_abi_cpp,
    init_property,
    py_class,
    replace,
)

# [imports.end]

HERE = Path(__file__).resolve().parent
FLAGS = "-shared -fPIC -O1 -Wall -Wextra -Wconversion -Werror"
# What each of the shown files is run with.
SHOWN = ["tests/snippets/tile_config.cc", "tests/snippets/test_python_types.py"]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library that takes objects of the types."""
    folder = tmp_path_factory.mktemp("python_types")
    # [generated.begin]
    header = gen_abi_cpp("tile_config.TileConfig")
    (folder / "tile_config.h").write_text(header)
    # [generated.end]
    target = folder / "tile_config.so"
    command = f"g++ {FLAGS} -I{folder} {flags('--cxxflags')} tile_config.cc -o {target}"
    command += f" {flags('--ldflags', '--libs')}"
    subprocess.run(shlex.split(command), cwd=HERE, check=True)
    return tvm_ffi.load_module(target)


@pytest.fixture(autouse=True)
def proves(library, shows):
    """Each test proves the library and itself."""
    for shown in SHOWN:
        shows(shown, *SHOWN)


# [class.begin]
@py_class("tile_config.TileConfig", eq=True, unsafe_hash=True)
class TileConfig(tvm_ffi.Object):
    """How a kernel cuts its matrix into tiles."""

    rows: int
    cols: int
    dtype: tvm_ffi.dtype
    stages: int = 2
    tags: list[str] = field(default_factory=list, compare=False)

    def wider(self):
        """Copy it, with twice as many columns."""
        return replace(self, cols=2 * self.cols)


# [class.end]


# [priority.begin]
class Priority(Enum, type_key="tile_config.Priority"):
    """What runs first."""

    low = auto()
    high = auto()


# [priority.end]


def test_construction():
    """The constructor converts, fills in defaults, and refuses what does not fit."""
    # [construction.begin]
    config = TileConfig(64, 32, "float16", tags=["swizzled"])
    assert config.dtype == tvm_ffi.dtype("float16")
    assert (config.stages, list(config.tags)) == (2, ["swizzled"])
    config.stages = 3
    with pytest.raises(TypeError, match="expected int, got str"):
        TileConfig("wide", 32, "float16")
    with pytest.raises(TypeError, match="expected str, got int"):
        config.tags = ["padded", 4]
    # [construction.end]
    assert list(config.tags) == ["swizzled"]


def test_use():
    """Objects are compared, copied, printed and pickled by their fields."""
    # [use.begin]
    config = TileConfig(64, 32, "float16")
    assert config == TileConfig(64, 32, "float16", tags=["padded"])
    assert config.wider().cols == 64
    assert config.cols == 32
    assert repr(config).startswith("tile_config.TileConfig(rows=64, cols=32")
    for same in (copy.deepcopy(config), pickle.loads(pickle.dumps(config))):
        assert same == config
        assert not same.same_as(config)
    # [use.end]


def test_computed():
    """A computed field is stored in the object."""

    # [computed.begin]
    @py_class("tile_config.Grid", frozen=True)
    class Grid(tvm_ffi.Object):
        rows: int
        cols: int

        @init_property
        def blocks(self) -> int:
            return self.rows * self.cols

        def __post_init__(self):
            if self.blocks >= 2**31:
                raise ValueError(f"Grid: expected fewer than 2**31 blocks, got {self.blocks}")

    assert Grid(3, 4).blocks == 12
    with pytest.raises(ValueError, match="blocks"):
        Grid(2**16, 2**16)
    # [computed.end]


def test_replaced():
    """A copy with other values keeps what the constructor computed."""

    # [replaced.begin]
    @py_class("tile_config.Product")
    class Product(tvm_ffi.Object):
        a: int
        b: int

        @init_property
        def size(self) -> int:
            return self.a * self.b

    product = Product(3, 4)
    product.a = 5
    assert product.size == 12
    assert replace(product, b=10).size == 12
    # [replaced.end]


def test_reference():
    """An annotation may name a class that comes later."""

    # [reference.begin]
    @py_class("tile_config.Stage")
    class Stage(tvm_ffi.Object):
        config: TileConfig
        next: "Stage | None" = None
        barrier: "Barrier | None" = None

    @py_class("tile_config.Barrier")
    class Barrier(tvm_ffi.Object):
        count: int

    last = Stage(TileConfig(8, 8, "int8"), barrier=Barrier(2))
    assert Stage(TileConfig(16, 8, "int8"), last).next.config.rows == 8
    # [reference.end]


def test_cpp(library):
    """C++ reads the members of an object that Python made."""
    # [cpp.begin]
    config = TileConfig(64, 32, "float16", stages=3)
    assert library.shared_bytes(config) == 64 * 32 * 3 * 2
    with pytest.raises(TypeError, match="TileConfig"):
        library.shared_bytes(Priority.low)
    # [cpp.end]


def test_enumeration():
    """An instance exists once, and is found by its number and its name."""
    # [enumeration.begin]
    assert Priority("high") == Priority(1) == Priority.high
    assert [str(each) for each in Priority] == [
        "tile_config.Priority.low",
        "tile_config.Priority.high",
    ]
    assert pickle.loads(pickle.dumps(Priority.low)).same_as(Priority.low)
    # [enumeration.end]


def test_values():
    """Instances have fields, or are equal to a value."""

    # [values.begin]
    class Layout(Enum, type_key="tile_config.Layout"):
        is_row_major: bool
        row: ClassVar["Layout"] = entry(is_row_major=True)
        col: ClassVar["Layout"] = entry(is_row_major=False)

    class Width(IntEnum, type_key="tile_config.Width"):
        half = 16
        full = 32

    class Operator(StrEnum, type_key="tile_config.Operator"):
        add = "+"

    assert Layout.row.is_row_major
    assert Width.half == 16
    assert Width(32).name == "full"
    assert Operator("+") == Operator.add == "+"
    # [values.end]


def test_enumeration_of_cpp(library):
    """A class joins the enumeration of a library."""

    # [joined.begin]
    class Activation(Enum, type_key="tile_config.Activation"):
        relu: ClassVar["Activation"]
        square: ClassVar["Activation"]
        cube = auto()

    assert library.apply(Activation.square, -3.0) == 9.0
    with pytest.raises(ValueError, match="expected relu or square, got cube"):
        library.apply(Activation.cube, -3.0)
    flops = Activation.def_attr("flops", default=0)
    assert flops[Activation.relu] == 1
    assert flops[Activation.cube] == 0
    # [joined.end]
