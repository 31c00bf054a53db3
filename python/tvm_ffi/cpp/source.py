# SPDX-License-Identifier: Apache-2.0
"""The files generated from inline sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

# Declares for inline sources what the published package declares, and the rest of the API.
PREAMBLE = ("tvm/ffi/tvm_ffi.h",)


def function_docs(title: str, functions: Any) -> dict[str, str]:
    """Check the functions to export; return each name once, with its documentation."""
    if functions is None:
        return {}
    if isinstance(functions, str):
        functions = [functions]
    if not isinstance(functions, (Mapping, Sequence)):
        raise TypeError(
            f"{title}: functions: expected a name, names, or names with their documentation, "
            f"got {type(functions).__name__}"
        )
    pairs = functions.items() if isinstance(functions, Mapping) else [(f, "") for f in functions]
    docs: dict[str, str] = {}
    for name, doc in pairs:
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
            raise ValueError(
                f"{title}: functions: expected names of C++ functions outside any namespace, which "
                f"begin with a letter, got {name!r}; TVM_FFI_DLL_EXPORT_TYPED_FUNC exports others"
            )
        if not isinstance(doc, str):
            raise TypeError(
                f"{title}: functions: {name}: expected its documentation as a str, "
                f"got {type(doc).__name__}"
            )
        docs[name] = doc
    return docs


def inline_files(
    cpp: list[str], cuda: list[str], functions: dict[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Lay out inline sources as files.

    Each source is a separate file, so that the compiler's line numbers match the source. All
    sources of one language form one translation unit.

    Returns
    -------
    tuple
        The text of each file by name, and the names of those to compile.
    """
    files: dict[str, str] = {}
    units = []
    for language, sources, ending in (("cpp", cpp, "cc"), ("cuda", cuda, "cu")):
        if not sources:
            continue
        lines = [f"#include <{header}>" for header in PREAMBLE]
        for index, source in enumerate(sources):
            name = f"{language}_sources_{index}.{'h' if language == 'cpp' else 'cuh'}"
            files[name] = source if source.endswith("\n") else f"{source}\n"
            lines.append(f'#include "{name}"')
        # If there are sources of both kinds, those in C++ declare the exported functions.
        if language == "cpp" or not cpp:
            for function, doc in functions.items():
                lines.append(f"TVM_FFI_DLL_EXPORT_TYPED_FUNC({function}, {function});")
                if doc:
                    text = cpp_literal(doc)
                    lines.append(f"TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC({function}, {text});")
        unit = f"{language}.{ending}"
        files[unit] = "\n".join([*lines, ""])
        units.append(unit)
    return files, units


def cpp_literal(text: str) -> str:
    """Return text as a C++ string literal of its UTF-8 bytes."""

    def escape(byte: int) -> str:
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        return chr(byte) if plain else f"\\{byte:03o}"

    return f'"{"".join(map(escape, text.encode()))}"'
