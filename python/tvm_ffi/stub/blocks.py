# SPDX-License-Identifier: Apache-2.0
"""Regeneration of the lines between a begin and an end."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from .annotations import Annotations, home_of
from .library import FunctionInfo, Registry
from .markers import AnnotatedFile, Block
from .signatures import (
    constructors,
    function_stub,
    given_by,
    is_name,
    method_stub,
    taken_by,
    wrapped,
)

_INIT = "tvm_ffi.init_ffi_api"
_INIT_ALIAS = "_FFI_INIT_FUNC"
_LOAD = "tvm_ffi.libinfo.load_lib_module"
_CALL = re.compile(r"(\w+)\(((?:\s*\w+\s*,)*\s*\w+\s*|\s*)\)")


@dataclass(frozen=True)
class Options:
    """How blocks are written.

    ``indent`` is the number of spaces per level; ``docs`` adds docstrings, and parameter names
    if a function provides them.
    """

    indent: int = 4
    docs: bool = False


def filled(
    file: AnnotatedFile, registry: Registry, mapping: dict[str, str], options: Options
) -> str:
    """Return the text of a file with all blocks rewritten."""
    return _Filler(file, registry, mapping, options).text()


class _Filler:
    """Writes the blocks of one file."""

    def __init__(
        self, file: AnnotatedFile, registry: Registry, mapping: dict[str, str], options: Options
    ) -> None:
        self._file = file
        self._registry = registry
        self._options = options
        self._step = " " * options.indent
        self._names: list[str] = []
        # Imports at run time, by full name, and imports that only type checkers need.
        self._at_run_time: set[tuple[str, str]] = set()
        self._checked: set[tuple[str, str]] = set()
        self._has_condition = False
        local = {block.argument.rpartition(".")[2] for block in self._of("object")}
        local |= set(re.findall(r"^(?:class|def)\s+(\w+)", file.hand_written(), re.MULTILINE))
        # Classes in this file keep their own names.
        own = {each.argument for each in self._of("object")}
        self._annotations = Annotations({k: v for k, v in mapping.items() if k not in own}, local)

    def text(self) -> str:
        """Return the whole file."""
        contents = {}
        for block in self._file.blocks:
            if block.kind == "global":
                contents[block] = self._globals(block)
            elif block.kind == "object":
                contents[block] = self._object(block)
            elif block.kind == "export":
                contents[block] = _export(block.argument)
            elif block.kind == "library":
                contents[block] = self._library(block)
        self._read_import_objects()
        # These two depend on the contents of the others.
        for block in self._of("__all__"):
            contents[block] = [f'"{name}",' for name in sorted(set(self._names), key=_kind)]
        for block in self._of("import-section"):
            contents[block] = self._imports()
        return self._file.with_contents(contents)

    def _of(self, kind: str) -> list[Block]:
        return [block for block in self._file.blocks if block.kind == kind]

    def _globals(self, block: Block) -> list[str]:
        start = f"{block.argument.rstrip('.')}."
        functions = {
            name.removeprefix(start): function
            for name, function in sorted(self._registry.functions.items())
            if name.startswith(start) and "." not in name.removeprefix(start)
        }
        if not functions:
            if block.end - block.begin == 1:
                return []
            raise self._file.error(
                block.begin,
                f"global/{block.argument}: expected a global function whose name begins with "
                f"{start!r}, got none: name its library with --dlls, or delete the block",
            )
        self._at_run_time.add((_INIT, _INIT_ALIAS))
        lines = [f'{_INIT_ALIAS}("{block.argument.rstrip(".")}", __name__)', "if TYPE_CHECKING:"]
        self._has_condition = True
        for name, function in functions.items():
            if not is_name(name):
                lines.append(f"{self._step}# not a name in Python: {_shown(name)}")
                continue
            stub = function_stub(function, self._annotations, self._options.docs)
            lines += self._stub(f"def {name}{stub}:", function.doc, self._step)
            self._names.append(name)
        return _unformatted(lines)

    def _object(self, block: Block) -> list[str]:
        info = self._registry.objects.get(block.argument)
        if info is None:
            raise self._file.error(
                block.begin,
                f"object/{block.argument}: expected a type that a library registers, got none of "
                "that key: name its library with --dlls, or delete the block",
            )
        self._names.append(block.argument.rpartition(".")[2])
        lines = []
        for field in info.fields:
            if not is_name(field.name):
                lines.append(f"# not a name in Python: {_shown(field.name)}")
                continue
            lines.append(f"{field.name}: {self._annotations.text(field.schema, 'given')}")
            if self._options.docs and field.doc:
                lines += _docstring(field.doc)
        parent = self._registry.objects.get(info.parent)
        inherited = dict(constructors(parent, self._annotations.aside())) if parent else {}
        members: list[str] = []
        for name, signature in constructors(info, self._annotations):
            if name != "__init__" and inherited.get(name, signature) != signature:
                # Type checkers allow only __init__ to take arguments other than its parent's.
                anything = self._annotations.text({"type": "Any"}, "taken")
                signature = f"(self, *args: {anything}, **kwargs: {anything}) -> None"
            members.append(f"def {name}{signature}: ...")
        for method in info.methods:
            if not is_name(method.name):
                members.append(f"# not a name in Python: {_shown(method.name)}")
                continue
            members += ["@staticmethod"] if method.is_static else []
            signature = method_stub(method, self._annotations)
            members += self._stub(f"def {method.name}{signature}:", method.doc, "")
        if members:
            self._has_condition = True
            lines += ["if TYPE_CHECKING:", *_indented(members, self._step)]
        return _unformatted(lines)

    def _stub(self, line: str, doc: str | None, indent: str) -> list[str]:
        if not (self._options.docs and doc):
            return [f"{indent}{line} ..."]
        return [indent + line, *_indented(_docstring(doc), indent + self._step)]

    def _library(self, block: Block) -> list[str]:
        variable, _, stem = block.argument.partition("@")
        functions = self._library_of(block, stem)
        names = self._parameter_names(functions)
        skipped = {each.argument for each in self._file.named("library-skip")}
        lines: list[str] = []
        is_stub = self._file.path.suffix == ".pyi"
        for name, function in functions.items():
            if name in skipped:
                continue
            if not is_name(name):
                lines += ["", "", f"# not a name in Python: {_shown(name)}"]
                continue
            self._names.append(name)
            given = names.get(name, function.names)
            lines += ["", "", *self._wrapper(function, variable, given, is_stub)]
        return _unformatted(lines[2:])

    def _library_of(self, block: Block, stem: str) -> dict[str, FunctionInfo]:
        candidates = {
            path: functions for path, functions in self._registry.exported.items() if functions
        }
        if stem:
            candidates = {
                path: functions for path, functions in candidates.items() if _stem(path) == stem
            }
        if len(candidates) != 1:
            wanted = f"one library {stem!r}" if stem else "one library"
            found = ", ".join(candidates) or "none"
            raise self._file.error(
                block.begin,
                f"library {block.argument}: expected {wanted} that exports functions, got {found}: "
                "name it with --dlls and, if there are several, after an @ here",
            )
        [(path, functions)] = candidates.items()
        if all(function.schema is None for function in functions.values()):
            raise self._file.error(
                block.begin,
                f"library {block.argument}: expected a library with metadata, got {path} without: "
                "define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA as 1 before its first include",
            )
        return functions

    def _parameter_names(self, functions: dict[str, FunctionInfo]) -> dict[str, tuple[str, ...]]:
        found = {}
        for directive in self._file.named("library-names"):
            match = _CALL.fullmatch(directive.argument)
            if match is None:
                raise self._file.error(
                    directive.line,
                    f"names: expected a function and its parameters, such as scale(x, factor), got "
                    f"{directive.argument!r}",
                )
            function = functions.get(match[1])
            if function is None:
                raise self._file.error(
                    directive.line,
                    f"names: expected one of {', '.join(functions)}, got {match[1]!r}",
                )
            names = tuple(re.findall(r"\w+", match[2]))
            count = len(function.schema or (None,)) - 1
            if len(names) != count or len({*names}) != count or not all(map(is_name, names)):
                raise self._file.error(
                    directive.line,
                    f"names: {match[1]}: expected {count} different Python names, got "
                    f"{', '.join(names) or 'none'}",
                )
            found[match[1]] = names
        return found

    def _wrapper(
        self, function: FunctionInfo, variable: str, names: tuple[str, ...], is_stub: bool
    ) -> list[str]:
        if function.schema is None:
            anything = self._annotations.text({"type": "Any"}, "taken")
            taken, given, result = [f"*args: {anything}"], ["*args"], anything
        else:
            types = taken_by(function, self._annotations)
            result = given_by(function, self._annotations)
            has_names = len(names) == len(types) and all(map(is_name, names))
            given = list(names) if has_names else [f"_{i}" for i in range(len(types))]
            taken = [f"{name}: {text}" for name, text in zip(given, types, strict=True)]
            for i in reversed(range(len(types))):
                if function.schema[i + 1].get("type") not in ("Optional", "std::optional"):
                    break
                taken[i] += " = None"
            taken += [] if has_names or not types else ["/"]
        doc = _docstring(function.doc) if function.doc else []
        call = f"{variable}.{function.name}({', '.join(given)})"
        if is_stub:
            body = doc or ["..."]
        elif result == "None":
            body = [*doc, call]
        elif result == "Any":
            body = [*doc, f"return {call}"]
        else:
            # To a type checker, the call itself may return anything.
            kept = "result"
            while kept in given:
                kept = f"_{kept}"
            body = [*doc, f"{kept}: {result} = {call}", f"return {kept}"]
        lines = wrapped(function.name, taken, result)
        if body == ["..."]:
            return [*lines[:-1], f"{lines[-1]} ..."]
        return [*lines, *_indented(body, self._step)]

    def _read_import_objects(self) -> None:
        for directive in self._file.named("import-object"):
            parts = directive.argument.split(";")
            if len(parts) != 3 or parts[1] not in ("True", "False") or "." not in parts[0]:
                raise self._file.error(
                    directive.line,
                    "import-object: expected module.name;True or False;alias, got "
                    f"{directive.argument!r}",
                )
            place = self._checked if parts[1] == "True" else self._at_run_time
            place.add((home_of(parts[0]), parts[2]))
            if parts[0] == _LOAD:
                self._names.append("LIB")

    def _imports(self) -> list[str]:
        checked = self._checked | {(name, "") for name in self._annotations.imports}
        if not (checked or self._at_run_time or self._has_condition):
            return []
        at_run_time = set(self._at_run_time)
        if checked or self._has_condition:
            at_run_time.add(("typing.TYPE_CHECKING", ""))
        lines = ["from __future__ import annotations", *_import_lines(at_run_time)]
        if checked:
            lines += ["if TYPE_CHECKING:"]
            lines += _indented(_import_lines(checked), self._step)
        return ["# fmt: off", "# isort: off", *lines, "# isort: on", "# fmt: on"]


def _import_lines(names: set[tuple[str, str]]) -> list[str]:
    modules = defaultdict(list)
    for full_name, alias in names:
        module, _, name = full_name.rpartition(".")
        modules[module].append(f"{name} as {alias}" if alias else name)
    return [f"from {name} import {', '.join(sorted(modules[name]))}" for name in sorted(modules)]


def _export(module: str) -> list[str]:
    name = f"{module.replace('.', '_')}__all__"
    lines = [
        f"from .{module} import *  # noqa: F403",
        f"from .{module} import __all__ as {name}",
        'if "__all__" not in globals():',
        "    __all__ = []",
        f"__all__.extend({name})",
    ]
    return ["# fmt: off", "# isort: off", *lines, "# isort: on", "# fmt: on"]


def _indented(lines: list[str], indent: str) -> list[str]:
    return [indent + line if line else "" for line in lines]


def _unformatted(lines: list[str]) -> list[str]:
    return ["# fmt: off", *lines, "# fmt: on"] if lines else []


def _docstring(text: str) -> list[str]:
    escaped = text.strip().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if escaped.endswith('"'):
        escaped = f'{escaped[:-1]}\\"'
    first, *others = escaped.splitlines() or [""]
    if not others:
        return [f'"""{first}"""']
    return [f'"""{first}', *(line.rstrip() for line in others), '"""']


def _shown(name: str) -> str:
    """Return a name for a comment, in which it must not end the line."""
    return name if name.isprintable() else repr(name)


def _kind(name: str) -> tuple[int, str]:
    """Order names as linters do: constants, classes, then the others."""
    if name.isupper() and len(name) > 1:
        return 0, name
    return (1 if name[:1].isupper() else 2), name


def _stem(path: str) -> str:
    """The name of a library: ``my_kernels`` for ``build/libmy_kernels.so``."""
    return re.sub(r"^lib", "", path.replace("\\", "/").rpartition("/")[2].partition(".")[0])
