# SPDX-License-Identifier: Apache-2.0
"""New files for a library: a module for each prefix, with empty blocks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .annotations import home_of
from .library import ObjectInfo, Registry
from .markers import AnnotatedFile


@dataclass(frozen=True)
class Package:
    """A package: its distribution, its library, and the prefix of its names."""

    distribution: str
    library: str
    prefix: str


def new_files(folder: Path, package: Package, registry: Registry) -> dict[Path, str]:
    """Return the texts of the files that a package needs below a folder, with empty blocks."""
    start = f"{package.prefix.rstrip('.')}."
    prefixes = {
        name.rpartition(".")[0]
        for name in (*registry.functions, *registry.objects)
        if name.startswith(start)
    }
    files = {}
    for prefix in sorted(prefixes):
        home = folder.joinpath(*prefix.split("."))
        files[home / "_ffi_api.py"] = _bindings(prefix, package, start, registry)
        files[home / "__init__.py"] = _INIT.format(prefix=prefix)
    return files


_INIT = '''"""Package {prefix}."""

# tvm-ffi-stubgen(begin): export/_ffi_api
# tvm-ffi-stubgen(end)
'''


def _bindings(prefix: str, package: Package, start: str, registry: Registry) -> str:
    text = f'"""FFI API bindings for {prefix}."""\n\n'
    text += "# tvm-ffi-stubgen(begin): import-section\n# tvm-ffi-stubgen(end)\n"
    if f"{prefix}." == start:
        text += (
            "# tvm-ffi-stubgen(import-object): "
            "tvm_ffi.libinfo.load_lib_module;False;_FFI_LOAD_LIB\n"
            f'LIB = _FFI_LOAD_LIB("{package.distribution}", "{package.library}")\n'
        )
    text += f"# tvm-ffi-stubgen(begin): global/{prefix}\n# tvm-ffi-stubgen(end)\n"
    objects = parents_first(prefix, registry)
    if objects:
        text += _REGISTERED
    for info in objects:
        text += class_of(info, prefix) + "\n"
    return f"{text}\n__all__ = [\n    {_ALL}\n]\n"


_ALL = "# tvm-ffi-stubgen(begin): __all__\n    # tvm-ffi-stubgen(end)"


def class_of(info: ObjectInfo, prefix: str) -> str:
    """Return a class with an empty block; if needed, an import of its parent precedes it."""
    module, _, parent = info.parent.rpartition(".")
    text = ""
    if module != prefix:
        parent = f"_{info.parent.replace('.', '_')}"
        text = f"# tvm-ffi-stubgen(import-object): {info.parent};False;{parent}\n"
    name = info.key.rpartition(".")[2]
    return (
        f'{text}@_FFI_REG_OBJ("{info.key}")\nclass {name}({parent}):\n'
        f'    """FFI binding for `{home_of(info.key)}`."""\n\n'
        f"    # tvm-ffi-stubgen(begin): object/{info.key}\n    # tvm-ffi-stubgen(end)\n"
    )


def rolled_out(file: AnnotatedFile, known: set[str], registry: Registry) -> AnnotatedFile:
    """Add a class for each type that a ``prefix`` requests and no file has a block for.

    ``known`` has the keys of types with a block; the keys of added types are inserted into it.
    """
    prefixes = list(file.named("prefix"))
    known |= {each.argument for each in file.named("skip")}
    added = []
    for directive in prefixes:
        found = parents_first(directive.argument.rstrip("."), registry)
        if not found:
            raise file.error(
                directive.line,
                f"prefix: expected the prefix of a type that a library registers, got "
                f"{directive.argument!r}: name the library with --dlls",
            )
        added += [class_of(each, directive.argument) for each in found if each.key not in known]
        known |= {each.key for each in found}
    if not added:
        return file
    lines = list(file.lines)
    first = prefixes[0].line
    ends = [block.end for block in file.blocks if block.kind != "__all__"]
    last = max([first, *ends])
    imports = [each.argument.partition(";")[0] for each in file.named("import-object")]
    if _REGISTER not in imports:
        added[0] = f"{_REGISTERED}{added[0]}"
    lines[last:last] = ["", *"\n".join(added).splitlines()]
    if not any(block.kind == "import-section" for block in file.blocks):
        lines[first:first] = [
            "",
            "# tvm-ffi-stubgen(begin): import-section",
            "# tvm-ffi-stubgen(end)",
        ]
    return AnnotatedFile(file.path, file.newline.join(lines))


_REGISTER = "tvm_ffi.register_object"
_REGISTERED = f"# tvm-ffi-stubgen(import-object): {_REGISTER};False;_FFI_REG_OBJ\n"


def parents_first(prefix: str, registry: Registry) -> list[ObjectInfo]:
    """Return the types directly below a prefix, sorted by key, each after its parent."""
    ordered: dict[str, ObjectInfo] = {}

    def add(key: str) -> None:
        info = registry.objects.get(key)
        if info is None or key in ordered or key.rpartition(".")[0] != prefix:
            return
        add(info.parent)
        ordered[key] = info

    for key in sorted(registry.objects):
        add(key)
    return list(ordered.values())
