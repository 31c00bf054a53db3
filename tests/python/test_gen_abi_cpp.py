# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""C++ classes generated for types defined in Python."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import Object, testing
from tvm_ffi.dataclasses import Enum, auto, entry, field, gen_abi_cpp, py_class

from .conftest import compile_cpp_library


@py_class("gen_abi.deep.Base")
class Base(Object):
    r"""The base. \

    Its last member leaves room.
    """

    i: int = field(doc="A number.")
    f: float
    s: str
    y: bytes
    v: tvm_ffi.Device
    d: tvm_ffi.dtype
    p: ctypes.c_void_p
    a: Any
    o: int | None
    li: list[list[int]]
    tu: tuple[int, ...]
    t2: tuple[int, str]
    di: dict[str, float]
    bare: list  # type: ignore[type-arg]
    fn: tvm_ffi.Function
    te: tvm_ffi.Tensor | None
    sh: tvm_ffi.Shape
    ob: Object
    b: bool


@py_class("gen_abi.Derived")
class Derived(Base):
    """Begins with a small member."""

    c: bool
    base: Base
    e: bool


class Colour(Enum, type_key="gen_abi.Colour"):
    """An enumeration with a field."""

    bright: bool
    red = entry(bright=True)


SOURCE = """
#include "types.h"
namespace ffi = tvm::ffi;
ffi::Array<ffi::Any> members(const gen_abi::DerivedObj* derived) {
  return {derived->i, derived->s, derived->li[0][1], derived->t2.get<1>(), derived->di["k"],
          derived->b, derived->c, derived->e, derived->base.same_as(derived->ob), derived->v};
}
bool is_bright(const gen_abi::ColourObj* colour) { return colour->bright; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(members, members);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(is_bright, is_bright);
"""


def test_header_compiles_and_reads(tmp_path: Path) -> None:
    """A library that includes the header reads every kind of member from a Python object."""
    (tmp_path / "types.h").write_text(gen_abi_cpp(["gen_abi.Derived", "gen_abi.Colour"]))
    (tmp_path / "reads.cc").write_text(SOURCE)
    compile_cpp_library(tmp_path / "reads.cc", tmp_path / "reads.so")
    library: Any = tvm_ffi.load_module(tmp_path / "reads.so")
    common: list[Any] = [1, 0.5, "a text that is long", b"y", tvm_ffi.device("cuda", 3), "int8"]
    common += [ctypes.c_void_p(8), None, 4, [[5, 6]], (7,), (8, "nine"), {"k": 2.5}, []]
    common += [abs, None, tvm_ffi.Shape([1])]
    base = Base(*common, Colour.red, True)
    derived = Derived(*common, base, False, True, base, True)
    assert list(library.members(derived)) == [
        *(1, "a text that is long", 6, "nine", 2.5, False, True, True, True),
        tvm_ffi.device("cuda", 3),
    ]
    assert library.is_bright(Colour.red)
    with pytest.raises(TypeError, match=r"expected gen_abi\.Derived, got gen_abi\.deep\.Base"):
        library.members(base)


def test_another_layout_does_not_compile(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The header refuses another place of a member and another size of the class."""
    text = gen_abi_cpp("gen_abi.Colour")
    (tmp_path / "types.h").write_text(text)
    (tmp_path / "types.cc").write_text('#include "types.h"\n')
    compile_cpp_library(tmp_path / "types.cc", tmp_path / "types.so")
    for member in ("alignas(32) bool bright;", "alignas(8) bool bright; double more;"):
        assert "alignas(8) bool bright;" in text
        changed = text.replace("alignas(8) bool bright;", member)
        (tmp_path / "types.h").write_text(changed)
        with pytest.raises(subprocess.CalledProcessError):
            compile_cpp_library(tmp_path / "types.cc", tmp_path / "types.so")
        assert "static assertion failed" in capfd.readouterr().err


def test_text() -> None:
    """Ancestors come first, once each; documentation becomes comments."""
    text = gen_abi_cpp(["gen_abi.Derived", "gen_abi.deep.Base"])
    assert re.findall(r"class (\w+)", text) == ["BaseObj", "DerivedObj"]
    assert "// Its last member leaves room." in text
    assert "  // A number.\n  int64_t i;" in text
    assert "::gen_abi::deep::BaseObj" in text


def test_refused() -> None:
    """C++ types, unknown types and names invalid in C++ are refused."""

    @py_class
    class Local(Object):
        a: int

    class Unnamed(Enum):
        one = auto()

    with pytest.raises(ValueError, match=r"expected a registered type, got 'gen_abi.None'"):
        gen_abi_cpp("gen_abi.None")
    with pytest.raises(ValueError, match="expected a type that Python defines, got 'testing"):
        gen_abi_cpp(testing.TestIntPair.__tvm_ffi_type_info__.type_key)  # type: ignore[attr-defined]
    for cls in (Local, Unnamed):
        with pytest.raises(ValueError, match="expected names that C"):
            gen_abi_cpp(cls.__tvm_ffi_type_info__.type_key)  # type: ignore[attr-defined]
    for name in ("new", "RuntimeTypeIndex"):
        py_class(f"gen_abi.taken.{name}")(
            type(Object)("T", (Object,), {"__module__": __name__, "__annotations__": {name: int}})
        )
        with pytest.raises(ValueError, match=f"expected names that C.. can use, got '{name}'"):
            gen_abi_cpp(f"gen_abi.taken.{name}")
    with pytest.raises(ValueError, match=r"expected a type that Python defines, got 'ffi\.Object'"):
        gen_abi_cpp("ffi.Object")
    with pytest.raises(TypeError, match="expected a str or a sequence of them, got ObjectMeta"):
        gen_abi_cpp(Base)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="type_keys: expected a str, got int"):
        gen_abi_cpp([3])  # type: ignore[list-item]
