# SPDX-License-Identifier: Apache-2.0
"""Classes of the object types in objects.cc, for the tests of objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import Object, _core, register_object


class Classes:
    """The classes of the library's types."""

    def __init__(self) -> None:
        @register_object("objects.Pair")
        class Pair(Object):
            """Two numbers, in Python."""

        @register_object("objects.Node")
        class Node(Object):
            pass

        @register_object("objects.Leaf")
        class Leaf(Node):
            pass

        @register_object("objects.Stuck")
        class Stuck(Node):
            pass

        self.Pair: Any = Pair
        self.Node: Any = Node
        self.Leaf: Any = Leaf
        self.Stuck: Any = Stuck


def call(name: str, *arguments: Any) -> Any:
    """Call a function of the library."""
    return tvm_ffi.get_global_func(f"objects.{name}")(*arguments)


@pytest.fixture(autouse=True)
def same_classes(classes: Classes) -> Iterator[None]:
    """Restore the classes after a test that registers others, in each file that imports this."""
    yield
    for name in ("Pair", "Node", "Leaf", "Stuck"):
        _core.register_object_class(f"objects.{name}", getattr(classes, name))
