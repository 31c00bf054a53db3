# SPDX-License-Identifier: Apache-2.0
"""Uses object types as dataclasses, and prints what it sees as JSON.

Only what both packages promise: values, printed forms, kinds of errors.
"""

import copy
import inspect
import json
import sys

import tvm_ffi
from tvm_ffi.dataclasses import (
    MISSING,
    asdict,
    astuple,
    c_class,
    fields,
    is_dataclass,
    replace,
)
from tvm_ffi.testing import TestIntPair, TestObjectDerived

library = tvm_ffi.load_module(sys.argv[1])
seen = {}


def tile_class(**options):
    """Register a class of the type with other options."""

    @c_class("tile_plan.Tile", **options)
    class Tile(tvm_ffi.Object):
        rows: int
        cols: int
        stages: int
        tags: list[str]
        uses: int

        def area(self):
            return self.size()

    return Tile


def kind_of(function, *arguments, **keywords):
    """Name the kind of error that a call raises."""
    try:
        function(*arguments, **keywords)
    except Exception as error:
        return type(error).__name__
    return "none"


Plain = tile_class()
one, two = Plain(1, 2), Plain(1, 2)
seen["plain"] = [one == two, one != two, hash(one) == hash(two), repr(one), one.area()]
seen["arguments"] = list(inspect.signature(Plain).parameters)
seen["match"] = list(Plain.__match_args__)
seen["no match"] = hasattr(tile_class(match_args=False), "__match_args__")
seen["without repr"] = repr(tile_class(repr=False)(1, 2))
Tile = tile_class(eq=True, order=True, unsafe_hash=True)
tile = Tile(1, cols=2, stages=4, tags=["a"])
seen["repr"] = repr(tile)
seen["equal"] = [tile == Tile(1, 2, 4), tile != Tile(1, 2, 4), tile == Tile(1, 3, 4), tile == 3]
seen["hash"] = len({tile, Tile(1, 2, 4), Tile(2, 1)})
tiles = sorted([Tile(2, 1), Tile(1, 2), Tile(1, 1)])
seen["order"] = [list(astuple(tile)) for tile in tiles]
seen["compare"] = [tile < tile, tile <= tile, tile > Tile(1, 2, 3), tile >= Tile(1, 2, 5)]
shallow, deep = copy.copy(tile), copy.deepcopy(tile)
tile.tags.append("b")
seen["copies"] = [list(shallow.tags), list(deep.tags)]
seen["replace"] = [repr(replace(tile, rows=9)), replace(tile, uses=7).uses, tile.uses]
seen["asdict"] = asdict(tile)
nested = TestObjectDerived({"a": TestIntPair(1, 2)}, [TestIntPair(3, 4), [5]])
seen["nested"] = [asdict(nested), list(astuple(nested)[3:])]
seen["factories"] = [asdict(TestIntPair(1, 2), dict_factory=list)]
seen["factories"].append(astuple(TestIntPair(1, 2), tuple_factory=list))
seen["fields"] = [
    [
        *(field.name, field.init, field.repr, field.compare, field.hash, field.kw_only),
        *(field.frozen, field.doc, field.type is not None, field.default is MISSING),
        field.default_factory is MISSING,
    ]
    for field in fields(Tile)
]
seen["frozen"] = [field.frozen for field in fields(TestIntPair)]
seen["missing"] = repr(MISSING)
seen["is_dataclass"] = [is_dataclass(x) for x in (Tile, tile, int, 3, tvm_ffi.Object)]


@c_class("tile_plan.SwizzledTile", eq=True)
class SwizzledTile(Tile):
    """Derived, with a field that can only be read."""

    bits: int


swizzled = SwizzledTile(1, 2, 4, 5)
seen["derived"] = [repr(swizzled), repr(replace(swizzled, bits=6)), tile == swizzled]
seen["derived match"] = list(SwizzledTile.__match_args__)


@c_class("tile_plan.Tile", init=False)
class Square(tvm_ffi.Object):
    """An __init__ of its own."""

    rows: int
    cols: int
    stages: int
    tags: list[str]
    uses: int

    def __init__(self, size):
        self.__ffi_init__(size, size)


seen["own init"] = astuple(Square(3))[:2]
Uncallable = tile_class(init=False)
seen["errors"] = {
    "no constructor": kind_of(Uncallable, 1, 2),
    "too few": kind_of(Tile, 1),
    "too many": kind_of(Tile, 1, 2, 3, 4),
    "twice": kind_of(Tile, 1, 2, rows=3),
    "no argument": kind_of(Tile, 1, 2, uses=3),
    "wrong type": kind_of(Tile, 1, "x"),
    "replaced by a wrong type": kind_of(replace, TestIntPair(1, 2), a="x"),
    "read only": kind_of(setattr, swizzled, "bits", 3),
    "no order": kind_of(lambda: one < two),
    "other type": kind_of(lambda: tile < swizzled),
    "no fields": kind_of(fields, 3),
    "no dataclass": kind_of(asdict, TestIntPair),
    "no such type": kind_of(c_class("tile_plan.Nothing"), type(one)),
    "type key": kind_of(c_class),
}
print(json.dumps(seen))
