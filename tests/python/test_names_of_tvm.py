# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""What TVM and its descendants, such as TileLang, use of the package without being documented."""

from __future__ import annotations

import subprocess
import sys
from typing import ClassVar

import pytest
import tvm_ffi
import tvm_ffi.testing
from tvm_ffi import _core
from tvm_ffi._runtime import call
from tvm_ffi.dataclasses import Enum, auto, py_class
from tvm_ffi.dataclasses import enum as enums


def run(program: str) -> None:
    """Run a program in a process of its own, because it changes classes of the whole process."""
    subprocess.run([sys.executable, "-c", "import tvm_ffi.testing\n" + program], check=True)


def test_own_functions() -> None:
    """The module has the runtime's functions under their short names."""
    from tvm_ffi import _ffi_api

    assert _ffi_api.Array(1, 2) == [1, 2]
    run("assert tvm_ffi._ffi_api.Array(1, 2) == [1, 2]")


def test_class_of_devices() -> None:
    """Devices that functions return are of the class that was set, and so are their copies."""
    run(
        "import copy, pickle, numpy\n"
        "tensor = tvm_ffi.from_dlpack(numpy.zeros(3))\n"
        "assert type(tensor.device) is tvm_ffi.Device\n"
        "class Device(tvm_ffi.Device):\n"
        "    pass\n"
        "tvm_ffi.core._set_class_device(Device)\n"
        "echo = tvm_ffi.convert_func(lambda x: x)\n"
        "device = echo(tvm_ffi.device('cuda', 3))\n"
        "assert type(device) is Device and device.index == 3\n"
        "assert type(tensor.device) is Device, 'kept from before'\n"
        "assert type(tvm_ffi.device('cpu')) is Device\n"
        "tvm_ffi.core._set_class_device(tvm_ffi.Device)\n"
        "assert type(tensor.device) is tvm_ffi.Device\n"
        "for same in copy.copy(device), pickle.loads(pickle.dumps(device)):\n"
        "    assert type(same) is Device and same == device\n"
    )
    for wrong in int, 5:
        with pytest.raises(TypeError, match="_set_class_device: cls: expected a class of devices"):
            tvm_ffi.core._set_class_device(wrong)


def test_class_of_devices_changes_meanwhile() -> None:
    """A device that is made while the class changes is not cached."""
    run(
        "import numpy\n"
        "class Device(tvm_ffi.Device):\n"
        "    def __setattr__(self, name, value):\n"
        "        super().__setattr__(name, value)\n"
        "        tvm_ffi.core._set_class_device(tvm_ffi.Device)\n"
        "tvm_ffi.core._set_class_device(Device)\n"
        "x = tvm_ffi.from_dlpack(numpy.zeros(3))\n"
        "got = [type(x.device) for _ in range(2)]\n"
        "assert got == [Device, tvm_ffi.Device], got\n"
    )


def test_class_of_tensors() -> None:
    """Tensors that functions return are of the class that was set."""
    run(
        "import numpy\n"
        "class Tensor(tvm_ffi.Tensor):\n"
        "    pass\n"
        "tvm_ffi.core._set_class_tensor(Tensor)\n"
        "x = tvm_ffi.from_dlpack(numpy.zeros(3))\n"
        "got = tvm_ffi.Array([x])[0]\n"
        "assert type(got) is Tensor, type(got)\n"
    )


def test_base_of_another_type() -> None:
    """A class may be derived from one of a type that is no ancestor, if that has no members."""
    run(
        "from tvm_ffi.dataclasses import py_class\n"
        "@py_class('test.names.Empty')\n"
        "class Empty(tvm_ffi.Object):\n"
        "    pass\n"
        "@tvm_ffi.register_object('testing.TestUnregisteredBaseObject')\n"
        "class Other(Empty):\n"
        "    pass\n"
    )


def test_base_of_another_type_with_members() -> None:
    """One with a field is refused: it would be read from memory that is something else."""

    @py_class("test.names.Full")
    class Full(tvm_ffi.Object):
        number: int

    class Other(Full):
        pass

    with pytest.raises(TypeError, match="expected a class derived from those of its ancestors"):
        tvm_ffi.register_object("testing.TestUnregisteredObject")(Other)


def test_enumeration_of_an_older_library(monkeypatch) -> None:
    """A class joins an enumeration that release 0.1.12 has kept as a map of its instances."""

    class Mode(Enum, type_key="test.names.Mode"):
        first = auto()
        second = auto()

    index = _core.find_type("test.names.Mode")
    older = tvm_ffi.Dict({"second": Mode.second, "first": Mode.first})
    call("ffi._SetTypeAttribute", index, "__ffi_enum_entries__", older)
    monkeypatch.setattr(enums, "_STATE", "__ffi_enum_of_this_test__")  # as if there were none

    class Again(Enum, type_key="test.names.Mode"):
        first: ClassVar[Again]
        second: ClassVar[Again]

    assert Again.second.same_as(Mode.second)
    assert [each._str_index for each in Again] == ["first", "second"]
    assert Again(1).same_as(Mode.second)

    with pytest.raises(ValueError, match="third: expected the name of a registered instance"):

        class Third(Enum, type_key="test.names.Mode"):
            third: ClassVar[Third]


@pytest.mark.parametrize(
    ("name", "older"),
    [
        ("test.names.Number", 5),
        ("test.names.Numbers", {"first": 5}),
        ("test.names.Arrays", {"first": [1]}),
    ],
)
def test_instances_of_something_else(
    monkeypatch: pytest.MonkeyPatch, name: str, older: object
) -> None:
    """What a library keeps as the instances of an enumeration is checked."""

    class Mode(Enum, type_key=name):
        first = auto()

    index = _core.find_type(name)
    call("ffi._SetTypeAttribute", index, "__ffi_enum_entries__", tvm_ffi.convert(older))
    monkeypatch.setattr(enums, "_STATE", "__ffi_enum_of_this_test__")

    with pytest.raises(TypeError, match=r"__ffi_enum_entries__: expected a map from names"):

        class Again(Enum, type_key=name):
            first: ClassVar[Again]
