# SPDX-License-Identifier: Apache-2.0
"""Signatures of C and C++, spelled such that those that a caller cannot tell apart are equal."""

from __future__ import annotations

import re

from clang.cindex import Cursor, CursorKind

TEMPLATES = {
    CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
    CursorKind.TEMPLATE_TEMPLATE_PARAMETER,
    CursorKind.TEMPLATE_TYPE_PARAMETER,
}
QUALIFIERS = re.compile(
    r"(?:::)?\btvm::ffi::|\b(?:ffi::|reflection::|typename |class |struct |enum )"
)
SAME_TYPE = {r"\bint32_t\b": "int", r"\bunsigned char\b": "uint8_t"}


def plain(spelling: str) -> str:
    """A type, spelled alike whatever namespace it is named from."""
    text = QUALIFIERS.sub("", spelling)
    for pattern, same in SAME_TYPE.items():
        text = re.sub(pattern, same, text)
    return re.sub(r"\s*([&*<>,()])\s*", r"\1", text).replace(",", ", ")


def passed(spelling: str) -> str:
    """A parameter's type, as far as a call shows it: by value, by reference to const, or moved."""
    text = plain(spelling)
    if text.startswith("const ") and text.endswith("&"):
        text = text.removeprefix("const ")[:-1]
    text = text.replace("&&", "")
    text = re.sub(r"^const (T\d+)&\.\.\.", r"\1...", text)
    return text.removeprefix("const ") if not text.endswith(("*", "&", "]")) else text


def signature_of(cursor: Cursor) -> str:
    """The types of a function's parameters, and whether it is const.

    A template's parameters are numbered as they are used: names are no part of the interface.
    """
    children = list(cursor.get_children())
    if cursor.kind == CursorKind.FUNCTION_TEMPLATE:
        parameters = [each for each in children if each.kind == CursorKind.PARM_DECL]
    else:
        parameters = list(cursor.get_arguments())
    types = [plain(each.type.spelling) for each in parameters]
    templates = [each.spelling for each in children if each.kind in TEMPLATES and each.spelling]
    if templates:
        used: dict[str, str] = {}
        words = re.compile(rf"\b(?:{'|'.join(map(re.escape, templates))})\b")

        def number(match: re.Match[str]) -> str:
            return used.setdefault(match[0], f"T{len(used) + 1}")

        types = [words.sub(number, each) for each in types]
    types = [passed(each) for each in types]
    variadic = ["..."] if cursor.type.spelling.endswith(", ...)") and parameters else []
    if cursor.kind == CursorKind.FUNCTION_TEMPLATE:
        variadic = []  # a pack ends so too
    const = " const" if cursor.is_const_method() else ""
    return f"({', '.join([*types, *variadic])}){const}"


def macro_signature(cursor: Cursor) -> str:
    """How many arguments a macro takes."""
    tokens = list(cursor.get_tokens())
    words = [token.spelling for token in tokens]
    # The parenthesis of a macro with arguments follows its name at once.
    if words[1:2] != ["("] or tokens[0].extent.end.offset != tokens[1].extent.start.offset:
        return "without arguments"
    names = [word for word in words[2 : words.index(")")] if word != ","]
    return f"{len(names)}{' or more' if '...' in names else ''} arguments"


def template_of(cursor: Cursor) -> str:
    """How many parameters a template takes that have a name; others only constrain it."""
    number = sum(each.kind in TEMPLATES and bool(each.spelling) for each in cursor.get_children())
    return f"template of {number}" if number else ""


def qualified(cursor: Cursor) -> str:
    """The full name of a declaration, without arguments of templates."""
    parts = [short(cursor)]
    parent = cursor.semantic_parent
    while parent is not None and parent.kind != CursorKind.TRANSLATION_UNIT:
        if parent.kind != CursorKind.LINKAGE_SPEC:
            parts.append(short(parent))
        parent = parent.semantic_parent
    return "::".join(reversed([part for part in parts if part]))


def short(cursor: Cursor) -> str:
    """The last part of a name, without a template's arguments."""
    spelling = str(cursor.spelling)
    if cursor.kind == CursorKind.CONVERSION_FUNCTION:
        return plain(spelling)
    if spelling.startswith("operator"):  # one that converts to a template's parameter has no name
        return re.sub(r"type-parameter-\d+-\d+", "T", spelling)
    return spelling.partition("<")[0]
