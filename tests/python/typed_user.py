# SPDX-License-Identifier: Apache-2.0
"""A program that uses every public name; strict type checking must find nothing in it.

It is checked, not run. ``test_types.py`` also reports public names missing here.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import tvm_ffi
import tvm_ffi.cpp
from tvm_ffi import libinfo, registry, storage
from tvm_ffi.access_path import AccessKind, AccessPath, AccessStep
from tvm_ffi.core import Bytes, Error, String
from tvm_ffi.module import ModulePropertyMask
from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str
from tvm_ffi.utils import FileLock, kwargs_wrapper


def tensors(array: Any) -> int:
    """Use tensors and their properties."""
    tensor: tvm_ffi.Tensor = tvm_ffi.from_dlpack(array, require_contiguous=True)
    shape: tvm_ffi.Shape = tensor.shape
    extents: tuple[int, ...] = shape
    strides: tvm_ffi.Shape = tvm_ffi.Shape(tensor.strides)
    element: tvm_ffi.dtype = tensor.dtype
    vector: tvm_ffi.dtype = tvm_ffi.dtype("float32").with_lanes(4)
    bits: int = element.bits + element.code + element.lanes + vector.itemsize
    device: tvm_ffi.Device = tensor.device
    same: bool = device == tvm_ffi.device("cuda", 0)
    kind: tvm_ffi.DLDeviceType = tvm_ffi.DLDeviceType.kDLCUDA
    number: int = device.index + kind + device.dlpack_device_type()
    name: str = device.type
    kinds: list[bool] = [element.is_float, element.is_integer, element.is_bool, element.is_handle]
    same = same and all(kinds) and tvm_ffi.dtype.is_dtype("float32")
    bits += tvm_ffi.dtype.from_dlpack_data_type((2, 16, 1)).type_code
    name += tvm_ffi.Device("cuda", 1).__device_type_name__()
    capsule: object = tensor.__dlpack__(max_version=(1, 0))
    pair: tuple[int, int] = tensor.__dlpack_device__()
    read_only: bool = tensor.read_only or tensor.is_contiguous()
    address: int = tensor.data_ptr() + tensor.numel() + tensor.ndim + tensor.size(0)
    print(capsule, pair, same, name, extents, strides, read_only)
    return bits + number + address


def dtypes() -> list[tvm_ffi.dtype]:
    """Use the named element types."""
    integers = [tvm_ffi.int8, tvm_ffi.int16, tvm_ffi.int32, tvm_ffi.int64]
    naturals = [tvm_ffi.uint8, tvm_ffi.uint16, tvm_ffi.uint32, tvm_ffi.uint64]
    floats = [tvm_ffi.float16, tvm_ffi.float32, tvm_ffi.float64, tvm_ffi.bfloat16]
    small = [
        *(tvm_ffi.float4_e2m1fn, tvm_ffi.float4_e2m1fnx2),
        *(tvm_ffi.float6_e2m3fn, tvm_ffi.float6_e3m2fn),
        *(tvm_ffi.float8_e3m4, tvm_ffi.float8_e4m3, tvm_ffi.float8_e4m3b11fnuz),
        *(tvm_ffi.float8_e4m3fn, tvm_ffi.float8_e4m3fnuz, tvm_ffi.float8_e5m2),
        *(tvm_ffi.float8_e5m2fnuz, tvm_ffi.float8_e8m0fnu),
    ]
    return [*integers, *naturals, *floats, *small, tvm_ffi.bool]


def containers() -> int:
    """Create and read containers."""
    array: tvm_ffi.Array[int] = tvm_ffi.Array([1, 2])
    numbers: list[int] = array[0:1]
    shared: tvm_ffi.List[str] = tvm_ffi.List(["a"])
    shared.append("b")
    shared[0] = shared[1] + "c"
    longer: tvm_ffi.List[str] = shared + ["d"]  # noqa: RUF005  (the container's own operator)
    fixed: tvm_ffi.Map[str, int] = tvm_ffi.Map({"a": 1})
    changing: tvm_ffi.Dict[str, int] = tvm_ffi.Dict({"a": 1})
    changing["b"] = fixed["a"]
    changing.update(c=3)
    keys: list[str] = [*fixed.keys(), *changing]
    text: str = longer.pop()
    print(numbers, keys, text, changing.get("x"), fixed.get("x", 0))
    return array[0] + sum(changing.values())


def contents(value: Any, other: Any) -> str:
    """Compare values by contents and serialize them."""
    modules: list[ModuleType] = [tvm_ffi.access_path, tvm_ffi.serialization, tvm_ffi.structural]
    equal: bool = tvm_ffi.structural_equal(value, other, map_free_vars=True)
    number: int = tvm_ffi.structural_hash(value, skip_tensor_content=True)
    key: tvm_ffi.StructuralKey = tvm_ffi.StructuralKey(value)
    number += key.hash_i64
    paths = tvm_ffi.get_first_structural_mismatch(value, other)
    steps: Sequence[AccessStep] = [] if paths is None else paths[0].to_steps()
    kinds: list[AccessKind] = [step.kind for step in steps]
    path: AccessPath = AccessPath.root().attr("a").array_item(0).map_item("k")
    parent: AccessPath | None = path.parent
    text: str = to_json_graph_str(value, {"version": "1"})
    read: Any = from_json_graph_str(text)
    print(modules, equal, number, kinds, parent, path.depth, path.step, read)
    return text


def functions(path: Path) -> None:
    """Load, look up, register and call functions."""
    module: tvm_ffi.Module = tvm_ffi.load_module(path, keep_module_alive=True)
    function: tvm_ffi.Function = module.scale
    again: tvm_ffi.Function = module["scale"]
    found: tvm_ffi.Function = module.get_function("scale", query_imports=True)
    doc: str | None = module.get_function_doc("scale")
    schema: dict[str, Any] | None = module.get_function_metadata("scale")
    implemented: bool = module.implements_function("scale")
    module.import_module(tvm_ffi.system_lib())
    imported: list[tvm_ffi.Module] = module.imports
    module.clear_imports()
    kind: str = module.kind
    mask: ModulePropertyMask = ModulePropertyMask.RUNNABLE
    result: Any = function(1, key=2)
    print(again, found, doc, schema, implemented, kind, mask, result, imported)

    @tvm_ffi.register_global_func("typed_user.twice", override=True)
    def twice(x: int) -> int:
        return 2 * x

    once: tvm_ffi.Function | None = tvm_ffi.get_global_func("typed_user.once", allow_missing=True)
    names: list[str] = registry.list_global_func_names()
    metadata: dict[str, Any] = tvm_ffi.get_global_func_metadata("typed_user.twice")
    tvm_ffi.register_global_func("typed_user.once", lambda x: x)
    tvm_ffi.remove_global_func("typed_user.once")
    tvm_ffi.init_ffi_api("typed_user", __name__)
    made: tvm_ffi.Function = tvm_ffi.Function(abs)
    made.release_gil = True
    converted: tvm_ffi.Function = tvm_ffi.convert_func(abs)
    wrapped: Callable[..., Any] = kwargs_wrapper.make_kwargs_wrapper(
        made, ["x", "y"], arg_defaults=(1,)
    )
    like: Callable[..., Any] = kwargs_wrapper.make_kwargs_wrapper_from_signature(
        made, inspect.signature(abs), exclude_arg_names=["x"]
    )
    external: tvm_ffi.Function = tvm_ffi.Function.__from_extern_c__(0, keep_alive_object=None)
    print(twice(1), once, names, metadata, converted, wrapped, like, external)


@tvm_ffi.register_error
class TileError(ValueError):
    """An error kind with its own class."""


@tvm_ffi.register_object("typed_user.Plan")
class Plan(tvm_ffi.Object):
    """An object type from a library."""

    rows: int


class Point(tvm_ffi.ObjectConvertible):
    """A value that functions accept as an object."""

    def asobject(self) -> tvm_ffi.Object:
        """Return the object."""
        return tvm_ffi.Array([1, 2])


def objects(plan: Plan) -> None:
    """Use objects and errors."""
    same: bool = plan.same_as(plan)
    rows: int = plan.rows
    value: Any = tvm_ffi.convert([1, "a", Point()])
    text, data = String("text"), Bytes(b"data")
    error = Error("ValueError", "message", "")
    kind: str = error.kind
    try:
        raise tvm_ffi.InternalError("a bug")
    except TileError:
        print(same, rows, value, text, data, kind)


@tvm_ffi.dataclasses.c_class("testing.TestIntPair")
class Pair(tvm_ffi.dataclasses.Object):
    """A type registered by C++, as a dataclass."""

    a: int
    b: int


def dataclasses(pair: Pair) -> dict[str, Any]:
    """Use a dataclass."""
    pair = tvm_ffi.dataclasses.replace(pair, b=3)
    names: list[str] = [each.name for each in tvm_ffi.dataclasses.fields(pair)]
    values: tuple[Any, ...] = tvm_ffi.dataclasses.astuple(pair)
    known = tvm_ffi.dataclasses.is_dataclass(Pair) and len(names) == len(values)
    return tvm_ffi.dataclasses.asdict(pair) if known else {}


@tvm_ffi.dataclasses.py_class("typed.Tile", frozen=True)
class Tile(tvm_ffi.dataclasses.Object):
    """A type defined in Python."""

    rows: int
    tags: list[str] = tvm_ffi.dataclasses.field(default_factory=list)
    _: tvm_ffi.dataclasses.KW_ONLY
    stages: int = 2

    @tvm_ffi.dataclasses.init_property
    def size(self) -> int:
        """Compute a field."""
        return self.rows * self.stages


class Colour(tvm_ffi.dataclasses.Enum, type_key="typed.Colour"):
    """An enumeration."""

    red: ClassVar[Colour] = tvm_ffi.dataclasses.auto()
    green: ClassVar[Colour] = tvm_ffi.dataclasses.entry()


class Level(tvm_ffi.dataclasses.IntEnum, type_key="typed.Level"):
    """An enumeration with numbers."""

    low: ClassVar[Level] = tvm_ffi.dataclasses.entry(value=10)


class Operator(tvm_ffi.dataclasses.StrEnum, type_key="typed.Operator"):
    """An enumeration with text values."""

    add: ClassVar[Operator] = tvm_ffi.dataclasses.entry(value="+")


def python_types() -> int:
    """Use types defined in Python."""
    tile = Tile(16, stages=3)
    number: int = tile.size + len(Colour) + Colour.red._int_index + Level.low.value
    name: str = Operator.add.value + Level.low.name + Colour.get("red")._str_index
    cost: tvm_ffi.dataclasses.EnumAttrMap = Colour.def_attr("cost", default=0)
    cost[Colour.green] = 3
    both: list[Colour] = list(Colour.all_entries())
    state: type = tvm_ffi.dataclasses.EnumState
    print(name, cost[Colour.green], both, state, Colour.attr_dict, cost.get(Colour.red))
    return number


def streams(device: tvm_ffi.Device) -> int:
    """Select streams."""
    context: tvm_ffi.StreamContext = tvm_ffi.use_raw_stream(device, ctypes.c_void_p(0))
    with context, tvm_ffi.use_torch_stream():
        return tvm_ffi.get_raw_stream(device)


def store() -> Any:
    """Store values by key."""
    key: str = storage.key("typed_user", "workspace")
    storage.set(key, 1)
    kept: Any = storage.get_or_create(key, lambda: 2)
    gone: object = storage.erase(key)
    return kept, gone, storage.get(key)


def building(folder: Path) -> str:
    """Build libraries and locate the files that builds need."""
    source = "int add(int a, int b) { return a + b; }"
    path: str = tvm_ffi.cpp.build_inline("adder", cpp_sources=source, functions="add")
    module: tvm_ffi.Module = tvm_ffi.cpp.load_inline(
        "adder", cpp_sources=[source], functions={"add": "adds"}, build_directory=folder
    )
    try:
        tvm_ffi.cpp.build("adder", sources=[folder / "add.cc"], extra_cflags=["-O3"])
        tvm_ffi.cpp.load("adder", sources="add.cc", extra_include_paths=[folder])
    except tvm_ffi.cpp.CompileError as error:
        print(error.command, error.stderr)
    with FileLock(folder / "lock") as lock:
        held: bool = lock.acquire()
    headers: list[str] = [libinfo.find_include_path(), libinfo.find_dlpack_include_path()]
    libraries: list[str] = [libinfo.find_library_path(), libinfo.find_libtvm_ffi()]
    print(module, held, headers, libraries, libinfo.find_cmake_path())
    return path + tvm_ffi.cpp.to_cpp_dtype("float32")


modules: list[ModuleType] = [tvm_ffi.core, tvm_ffi.error, tvm_ffi.utils, storage, libinfo]
