# SPDX-License-Identifier: Apache-2.0
"""Uses Python classes for the types of a library, and prints what it sees as JSON.

Only what both packages promise: values, kinds of errors, identity.
"""

import copy
import json
import sys

import tvm_ffi

library = tvm_ffi.load_module(sys.argv[1])
seen = {}


@tvm_ffi.register_object("objects.Pair")
class Pair(tvm_ffi.Object):
    """A constructor of its own."""


@tvm_ffi.register_object("objects.Node")
class Node(tvm_ffi.Object):
    """A constructor made of its fields."""


@tvm_ffi.register_object("objects.Leaf")
class Leaf(Node):
    """Derived, with a constructor of its own."""


@tvm_ffi.register_object("objects.Stuck")
class Stuck(Node):
    """Derived, without one."""


class Twice(Pair):
    """An __init__ of its own."""

    def __init__(self, both):
        self.__ffi_init__(both, both)


def call(name, *arguments):
    """Call a function of the library."""
    return tvm_ffi.get_global_func(f"objects.{name}")(*arguments)


def kind_of(function, *arguments, **keywords):
    """Name the kind of error that a call raises."""
    try:
        function(*arguments, **keywords)
    except Exception as error:
        return type(error).__name__
    return "none"


pair, node = Pair(3, 4), Node(5, 2.5, name="x", any="text")
leaf = Leaf(extra=6, number=7)
seen["fields"] = [pair.a, pair.b, node.number, node.real, node.flag, node.name, node.any]
seen["docs"] = [Pair.a.__doc__, Node.number.__doc__]
seen["methods"] = [pair.sum(), Pair.of(8).sum(), leaf.twice(), Pair.sum(pair)]
node.number, node.name, node.next = -1, "y" * 20, leaf
seen["written"] = [node.number, node.name, node.next.extra, type(node.next).__name__]
seen["default"] = [Node().number, Node().name, Node().any]
seen["subclass"] = [Twice(9).sum(), type(call("echo", Twice(9))).__name__]
again = call("echo", pair)
seen["identity"] = [again == pair, again is pair, hash(again) == hash(pair), again.same_as(pair)]
seen["different"] = [Pair(3, 4) == pair, pair.same_as(node), pair != node]
seen["passed"] = [library.sum_of(pair), call("key", leaf)]
seen["repr"] = repr(pair)
unknown = call("cpp_only")
seen["no class"] = [unknown.v1, unknown.v2, unknown.next(), type(unknown).__name__]
seen["isinstance"] = [isinstance(leaf, Node), isinstance(pair, Node), isinstance(3, Pair)]
seen["errors"] = {
    "read only": kind_of(setattr, pair, "a", 1),
    "no such field": kind_of(setattr, pair, "zz", 1),
    "deleted": kind_of(delattr, node, "number"),
    "wrong type": kind_of(setattr, node, "number", "x"),
    "too few": kind_of(Pair, 1),
    "wrong argument": kind_of(Pair, 1, "x"),
    "wrong self": kind_of(Pair.sum, node),
    "missing field": kind_of(Leaf),
    "unknown keyword": kind_of(Node, zz=1),
    "no constructor": kind_of(Stuck),
    "no copies": kind_of(copy.copy, call("locked", 1)),
    "raised": kind_of(pair.refuse),
    "no such type": kind_of(tvm_ffi.register_object("no.such"), Pair),
}
print(json.dumps(seen))
