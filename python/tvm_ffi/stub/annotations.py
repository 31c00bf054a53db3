# SPDX-License-Identifier: Apache-2.0
"""Python annotations for the types that a library's metadata names."""

from __future__ import annotations

from typing import Any, Literal

# Whether a value goes in or comes out: a function that takes a List accepts any sequence.
Position = Literal["taken", "given"]

# Names to which C++ types are mapped.
_NAMES = {
    "ffi.String": "str",
    "std::string": "str",
    "const char*": "str",
    "ffi.Bytes": "bytes",
    "TVMFFIByteArray*": "bytes",
    "DLTensor*": "Tensor",
    "ffi.Tensor": "Tensor",
    "DataType": "dtype",
    "void*": "c_void_p",
    "std::vector": "Array",
    "std::array": "Array",
    "ffi.Array": "Array",
    "ffi.List": "List",
    "ffi.Map": "Map",
    "std::map": "Map",
    "std::unordered_map": "Map",
    "ffi.Dict": "Dict",
    "ffi.Function": "Callable",
    "std::function": "Callable",
    "ffi.Object": "Object",
    "ffi.BigInt": "int",
    "std::optional": "Optional",
    "std::variant": "Variant",
    "std::tuple": "Tuple",
}
# Where the names are defined; a name without a dot that is not listed is built in.
_HOMES = {
    "Any": "typing.Any",
    "Callable": "typing.Callable",
    "Device": "tvm_ffi.Device",
    "Object": "tvm_ffi.Object",
    "Tensor": "tvm_ffi.Tensor",
    "c_void_p": "ctypes.c_void_p",
    "dtype": "tvm_ffi.dtype",
    "ffi.Error": "tvm_ffi.core.Error",
    "ffi.Module": "tvm_ffi.Module",
    "ffi.Shape": "tvm_ffi.Shape",
}
_ABSTRACT: dict[tuple[str, Position], str] = {
    ("Array", "taken"): "Sequence",
    ("Array", "given"): "Sequence",
    ("List", "taken"): "Sequence",
    ("List", "given"): "MutableSequence",
    ("Map", "taken"): "Mapping",
    ("Map", "given"): "Mapping",
    ("Dict", "taken"): "Mapping",
    ("Dict", "given"): "MutableMapping",
}
# Number of type arguments of each in Python.
_ARITY = {"Array": 1, "List": 1, "Map": 2, "Dict": 2}


def home_of(key: str) -> str:
    """Return the full Python name of a type: its key, with ``tvm_ffi`` for ``ffi``."""
    return f"tvm_{key}" if key.startswith("ffi.") else key


class Annotations:
    """Writes annotations for one file, and records the names that they need.

    Parameters
    ----------
    mapping
        Names of Python types by type key, as in ``ty-map``.
    local
        Names that the file itself defines, which are not imported.
    """

    def __init__(self, mapping: dict[str, str], local: set[str]) -> None:
        self._mapping = mapping
        self._local = local
        self.imports: set[str] = set()

    def aside(self) -> Annotations:
        """Return a copy that writes the same annotations but imports nothing into the file."""
        return Annotations(self._mapping, self._local)

    def text(self, schema: dict[str, Any], position: Position) -> str:
        """Return the annotation of a type."""
        key = str(schema.get("type", "Any"))
        name = _NAMES.get(key, key)
        args = schema.get("args", ())
        if name == "Optional":
            return " | ".join(_once([*self._united(args[:1], position), "None"]))
        if name == "Variant":
            return " | ".join(_once(self._united(args, position))) or self._named("Any")
        if name in ("Expected", "ObjectRValueRef") and args:
            return self.text(args[0], position)
        if name == "Tuple":
            return f"tuple[{', '.join(self.text(each, position) for each in args) or '()'}]"
        mapped = self._mapped(key, name)
        if name == "Callable":
            return mapped or self._callable(schema, position)
        if (name, position) in _ABSTRACT:
            base = mapped or self.imported(f"collections.abc.{_ABSTRACT[name, position]}")
            inner = [self.text(each, position) for each in args[: _ARITY[name]]]
            inner += [self._named("Any") for _ in range(_ARITY[name] - len(inner))]
            return f"{base}[{', '.join(inner)}]"
        return mapped or self._named(name)

    def imported(self, full_name: str) -> str:
        """Import a class, and return its name in the file."""
        module, _, name = full_name.rpartition(".")
        if module and name not in self._local:
            self.imports.add(full_name)
        return name

    def _united(self, schemas: Any, position: Position) -> list[str]:
        """Return the alternatives of a union, with nested unions flattened."""
        return [part for each in schemas for part in _alternatives(self.text(each, position))] or [
            self._named("Any")
        ]

    def _mapped(self, key: str, name: str) -> str | None:
        target = self._mapping.get(key) or self._mapping.get(name)
        return self.imported(home_of(target)) if target else None

    def _named(self, name: str) -> str:
        mapped = self._mapped(name, name)
        if mapped is None and name.startswith("ffi.") and name not in _HOMES:
            import tvm_ffi

            # Runtime types without a Python class.
            if name.count(".") == 1 and not hasattr(tvm_ffi, name.removeprefix("ffi.")):
                name = "Any"
        return mapped or self.imported(_HOMES.get(name) or home_of(name))

    def _callable(self, schema: dict[str, Any], position: Position) -> str:
        base, named = self._named("Callable"), schema.get("named_args")
        if not named:
            return f"{base}[..., {self._named('Any')}]"
        taken = ", ".join(self.text(each, position) for each in named["params"])
        return f"{base}[[{taken}], {self.text(named['return'][0], position)}]"


def _alternatives(text: str) -> list[str]:
    """Split a union at the bars outside brackets."""
    parts, depth = [""], 0
    for word in text.split(" "):
        if word == "|" and depth == 0:
            parts.append("")
            continue
        depth += word.count("[") - word.count("]")
        parts[-1] += (" " if parts[-1] else "") + word
    return parts


def _once(parts: list[str]) -> list[str]:
    return list(dict.fromkeys(parts))
