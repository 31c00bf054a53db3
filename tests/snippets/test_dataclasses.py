# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Object types of a library as dataclasses, as their page shows them."""

import copy
import inspect
import shlex
import subprocess
from pathlib import Path

import pytest
import tvm_ffi
from _verify.package_flags import flags

# [imports.begin]
from tvm_ffi.dataclasses import asdict, astuple, c_class, fields, replace

# [imports.end]

HERE = Path(__file__).resolve().parent
FLAGS = "-shared -fPIC -O1 -Wall -Wextra -Wconversion -Werror"
# What each of the shown files is run with.
SHOWN = ["tests/snippets/tile_plan.cc", "tests/snippets/test_dataclasses.py"]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library that registers the types."""
    target = tmp_path_factory.mktemp("dataclasses") / "tile_plan.so"
    command = f"g++ {FLAGS} {flags('--cxxflags')} tile_plan.cc -o {target}"
    command += f" {flags('--ldflags', '--libs')}"
    subprocess.run(shlex.split(command), cwd=HERE, check=True)
    return tvm_ffi.load_module(target)


@pytest.fixture(autouse=True)
def proves(library, shows):
    """Each test proves the library and itself."""
    for shown in SHOWN:
        shows(shown, *SHOWN)


@pytest.fixture
def Tile():
    """The dataclass."""

    # [class.begin]
    @c_class("tile_plan.Tile", eq=True, order=True, unsafe_hash=True)
    class Tile(tvm_ffi.Object):
        """A tile of a matrix."""

        rows: int
        cols: int
        stages: int
        tags: list[str]
        uses: int

        def wider(self):
            return replace(self, cols=2 * self.cols)

    # [class.end]
    return Tile


def test_construction(Tile):
    """The constructor takes what C++ registers, in its order."""
    # [construction.begin]
    tile = Tile(64, 32)
    assert (tile.rows, tile.cols, tile.stages, tile.uses) == (64, 32, 2, 0)
    assert list(tile.tags) == []
    tile = Tile(64, cols=32, stages=4, tags=["swizzled"])
    assert tile.size() == 2048
    tile.stages = 3
    assert list(inspect.signature(Tile).parameters) == ["rows", "cols", "stages", "tags"]
    # [construction.end]


def test_construction_refused(Tile):
    """A missing value, an unknown name and a wrong type are refused."""
    # [refused.begin]
    with pytest.raises(TypeError, match="cols"):
        Tile(64)
    with pytest.raises(TypeError, match="uses"):
        Tile(64, 32, uses=1)
    with pytest.raises(TypeError, match="cols"):
        Tile(64, "wide")
    # [refused.end]


def test_factory(Tile):
    """A default factory makes a value for each object."""
    first, second = Tile(1, 1), Tile(1, 1)
    first.tags.append("first")
    assert list(second.tags) == []


def test_printed(Tile):
    """An object is printed as in C++, without the fields that are hidden."""
    # [printed.begin]
    tile = Tile(64, 32, tags=["swizzled"])
    assert repr(tile) == 'tile_plan.Tile(rows=64, cols=32, stages=2, tags=["swizzled"])'
    # [printed.end]


def test_compared(Tile):
    """Objects are compared and hashed by the fields that are compared."""
    # [compared.begin]
    assert Tile(64, 32) == Tile(64, 32, tags=["swizzled"])
    assert Tile(64, 32) != Tile(64, 16)
    assert len({Tile(64, 32), Tile(64, 32), Tile(64, 16)}) == 2
    tiles = sorted([Tile(64, 32), Tile(32, 64), Tile(32, 16)])
    assert [astuple(tile)[:2] for tile in tiles] == [(32, 16), (32, 64), (64, 32)]
    # [compared.end]
    assert Tile(64, 32) != (64, 32)


def test_copied(Tile):
    """A copy shares what the fields refer to, a deep one does not; replace changes fields."""
    # [copied.begin]
    tile = Tile(64, 32, tags=["swizzled"])
    shallow, deep = copy.copy(tile), copy.deepcopy(tile)
    tile.tags.append("padded")
    assert list(shallow.tags) == ["swizzled", "padded"]
    assert list(deep.tags) == ["swizzled"]
    assert astuple(replace(tile, rows=16, uses=7)) == (16, 32, 2, ["swizzled", "padded"], 7)
    assert tile.rows == 64
    assert tile.wider().cols == 64
    # [copied.end]


def test_contents(Tile):
    """The fields are listed, and become dictionaries and tuples."""
    # [contents.begin]
    tile = Tile(64, 32)
    assert asdict(tile) == {"rows": 64, "cols": 32, "stages": 2, "tags": [], "uses": 0}
    rows, _, stages, tags, uses = fields(Tile)
    assert (rows.name, rows.type, rows.doc) == ("rows", int, "Rows of the tile.")
    assert (stages.default, tags.kw_only, uses.init) == (2, True, False)
    # [contents.end]


def test_matched(Tile):
    """A pattern takes the fields in the order of the constructor."""
    # [matched.begin]
    match Tile(64, 32):
        case Tile(rows, 32, stages=stages):
            assert (rows, stages) == (64, 2)
        # [matched.end]
        case _:
            pytest.fail("nothing matched")


def test_derived(Tile):
    """A class of a derived type is derived from the dataclass of its parent."""

    # [derived.begin]
    @c_class("tile_plan.SwizzledTile")
    class SwizzledTile(Tile):
        bits: int

    tile = SwizzledTile(64, 32, bits=5)
    assert (tile.rows, tile.bits, tile.size()) == (64, 5, 2048)
    assert [field.name for field in fields(SwizzledTile)][-1] == "bits"
    assert replace(tile, bits=2).bits == 2
    # [derived.end]
    assert tile == SwizzledTile(64, 32, bits=5)
    assert tile != Tile(64, 32)
    with pytest.raises(AttributeError):
        tile.bits = 3


def test_frozen():
    """The fields of a frozen class cannot be assigned to."""

    # [frozen.begin]
    @c_class("tile_plan.Tile", frozen=True)
    class FrozenTile(tvm_ffi.Object):
        rows: int
        cols: int
        stages: int
        tags: list[str]
        uses: int

    tile = FrozenTile(64, 32)
    with pytest.raises(AttributeError, match=r"tile_plan\.Tile\.rows: the class is frozen"):
        tile.rows = 16
    assert replace(tile, rows=16).rows == 16
    # [frozen.end]


def test_annotations():
    """An annotation of a name that C++ does not have is refused."""
    # [annotations.begin]
    with pytest.raises(TypeError, match=r"Misspelt\.row: expected a field .* which has rows, cols"):

        @c_class("tile_plan.Tile")
        class Misspelt(tvm_ffi.Object):
            row: int

    # [annotations.end]
