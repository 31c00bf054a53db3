# SPDX-License-Identifier: Apache-2.0
"""The public names that a package's headers declare, by libclang; no function's body is read."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from clang.cindex import AccessSpecifier, Cursor, CursorKind, Diagnostic, Index, TranslationUnit

from .names import Names, add
from .signatures import (
    TEMPLATES,
    macro_signature,
    plain,
    qualified,
    short,
    signature_of,
    template_of,
)

STAND_INS = Path(__file__).with_name("stand_ins")
C_HEADERS = ("dlpack/dlpack.h", "tvm/ffi/c_api.h", "tvm/ffi/extra/c_env_api.h")
RECORDS = {CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL, CursorKind.UNION_DECL}
SPECIAL = {CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
CLASSES = {*RECORDS, *SPECIAL, CursorKind.CLASS_TEMPLATE}
FUNCTIONS = {
    CursorKind.CONSTRUCTOR,
    CursorKind.CONVERSION_FUNCTION,
    CursorKind.CXX_METHOD,
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
}
VALUES = {CursorKind.FIELD_DECL, CursorKind.VAR_DECL}
ALIASES = {
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.TYPE_ALIAS_TEMPLATE_DECL,
    CursorKind.TYPEDEF_DECL,
}
SCOPES = {CursorKind.LINKAGE_SPEC, CursorKind.NAMESPACE, CursorKind.UNEXPOSED_DECL}
# What every object and reference inherits is not listed again for each class.
ROOTS = {"tvm::ffi::Object", "tvm::ffi::ObjectRef"}
# Namespaces for details, names that C++ reserves, and how each type converts.
INTERNAL = re.compile(
    r"(^|::)(details?|_\w*)(::|$)|\(unnamed|\(anonymous|^std(::|$)|<deduction|::TypeTraits::"
)
INTERNAL_MACRO = re.compile(r"^_|_H_?$|_$|_DETAIL_|_IMPL\b|_INTERNAL_")


def include_folders() -> list[str]:
    """Where g++ finds the headers of C and C++."""
    command = ["g++", "-E", "-x", "c++", "-", "-v"]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=True)
    listed = done.stderr.partition("#include <...> search starts here:")[2]
    return re.findall(r"^ (/\S+)$", listed, re.MULTILINE)


def parse(include: Path, headers: list[str]) -> TranslationUnit:
    """Parse headers together, without the bodies of functions.

    ValueError: they do not parse, so that names would be missing.
    """
    folders = [f"-isystem{folder}" for folder in (STAND_INS, *include_folders())]
    arguments = ["-std=c++17", "-nostdinc", "-nostdinc++", "-ferror-limit=0", f"-I{include}"]
    path = str(STAND_INS / "all.cc")
    source = "".join(f"#include <{header}>\n" for header in headers)
    options = TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    options |= TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
    unit = Index.create().parse(path, [*arguments, *folders], [(path, source)], options)
    errors = [str(each) for each in unit.diagnostics if each.severity >= Diagnostic.Error]
    if errors:
        said = f"expected headers that parse; names of CUDA belong into {STAND_INS}/cuda.h; got:"
        raise ValueError("\n".join([said, *errors]))
    return unit


@dataclass(frozen=True)
class Class:
    """A class whose members are read, be they its own or those of a base.

    ``parameters`` is what to write for each name of a template's parameter.
    """

    name: str
    header: str
    parameters: dict[str, str]
    hidden: frozenset[str] = frozenset()

    @property
    def last(self) -> str:
        """The name of its constructors."""
        return self.name.rpartition("::")[2]

    def of_base(self, base: str, own: set[str], arguments: dict[str, str]) -> Class:
        """The same class, to read members of a base with these arguments."""
        parameters = {name: self.numbered(plain(text)) for name, text in arguments.items()}
        hidden = self.hidden | own | ({base} - {self.last})
        return Class(self.name, self.header, parameters, hidden)

    def numbered(self, text: str) -> str:
        """A signature without the names of parameters."""
        names = [*self.parameters]

        def number(match: re.Match[str]) -> str:
            index = int(match["index"]) if match["index"] else names.index(match[0])
            return self.parameters[names[index]] if index < len(names) else match[0]

        words = "|".join([r"type-parameter-\d+-(?P<index>\d+)", *map(re.escape, names)])
        text = re.sub(rf"\b(?:{words})\b", number, text)
        return re.sub(r", type-parameter-\d+-\d+", "", text)  # without a name it only constrains


class Reader:
    """Collects the names that the headers below a folder declare."""

    def __init__(self, include: Path) -> None:
        found = (path.relative_to(include).as_posix() for path in include.rglob("*.h"))
        # Others are for the package's own extension.
        self.headers = sorted(each for each in found if each.startswith(("tvm/", "dlpack/")))
        self.include = f"{include}/"
        self.c: Names = {}
        self.cpp: Names = {}
        self.macros: Names = {}
        # What the standard library's bases have: counted only where the other package has it too.
        self.inherited: Names = {}
        unit = parse(include, self.headers)
        self.read_macros(unit.cursor)
        self.read_scope(unit.cursor)

    def header_of(self, cursor: Cursor) -> str:
        """The package's header that has a declaration, empty for others."""
        file = cursor.location.file
        name = file.name if file else ""
        return name.removeprefix(self.include) if name.startswith(self.include) else ""

    def read_macros(self, unit: Cursor) -> None:
        """Add the macros that are not internal; guards of headers are."""
        for cursor in unit.get_children():
            header, name = self.header_of(cursor), cursor.spelling
            if cursor.kind == CursorKind.MACRO_DEFINITION and header:
                if INTERNAL_MACRO.search(name):
                    continue
                add(self.macros, name, "macro", header, macro_signature(cursor))

    def read_scope(self, scope: Cursor) -> None:
        """Add what a namespace, or the file, declares."""
        for cursor in scope.get_children():
            if cursor.kind in SCOPES:
                self.read_scope(cursor)
            elif header := self.header_of(cursor):
                self.read(cursor, header, qualified(cursor))

    def read(self, cursor: Cursor, header: str, name: str) -> None:
        """Add one declaration outside of classes, with what is inside."""
        if INTERNAL.search(name) or not short(cursor):
            return
        names = self.c if header in C_HEADERS and "::" not in name else self.cpp
        if cursor.kind in CLASSES:
            # A template may be declared only, and defined for certain arguments.
            if cursor.kind in {*SPECIAL, CursorKind.CLASS_TEMPLATE} or cursor.is_definition():
                said = "" if cursor.kind in SPECIAL else template_of(cursor)
                add(names, name, "type", header, said)
                self.read_members(names, cursor, Class(name, header, numbers_of(cursor)))
        elif cursor.kind == CursorKind.ENUM_DECL:
            add(names, name, "type", header)
            self.read_enumerators(names, cursor, header, name)
        elif cursor.kind in ALIASES:
            add(names, name, "type", header)
        elif cursor.kind in FUNCTIONS:
            if cursor.semantic_parent.kind not in CLASSES:  # else it is a member's definition
                add(names, name, "function", header, signature_of(cursor))
        elif cursor.kind in VALUES and cursor.semantic_parent.kind not in CLASSES:
            add(names, name, "value", header, plain(cursor.type.spelling))

    def read_enumerators(self, names: Names, cursor: Cursor, header: str, name: str) -> None:
        """Add the values of an enumeration."""
        scope = name if cursor.is_scoped_enum() else name.rpartition("::")[0]
        for value in cursor.get_children():
            if value.kind == CursorKind.ENUM_CONSTANT_DECL:
                full = f"{scope}::{value.spelling}".removeprefix("::")
                add(names, full, "value", header, str(value.enum_value))

    def read_members(self, names: Names, owner: Cursor, of: Class) -> None:
        """Add the public members of a class and of its bases, but for those of the roots."""
        own: set[str] = set()
        for cursor in owner.get_children():
            if cursor.kind == CursorKind.FRIEND_DECL:  # operators that only its objects find
                for each in cursor.get_children():
                    if each.kind in FUNCTIONS and each.spelling.startswith("operator"):
                        self.add_member(names, each, of)
            elif cursor.access_specifier == AccessSpecifier.PUBLIC:
                own.add(short(cursor))
                self.add_member(names, cursor, of)
        for cursor in owner.get_children():
            if cursor.kind == CursorKind.CXX_BASE_SPECIFIER:
                base = definition_of(cursor)
                if base is None or qualified(base) in ROOTS:
                    continue
                if not self.header_of(base):
                    self.note_inherited(base, of)
                else:
                    arguments = dict(zip(parameters_of(base), arguments_of(cursor), strict=False))
                    self.read_members(names, base, of.of_base(short(base), own, arguments))

    def note_inherited(self, base: Cursor, of: Class) -> None:
        """Note the public members of a base of the standard library, and of its bases."""
        for cursor in base.get_children():
            if cursor.kind == CursorKind.CXX_BASE_SPECIFIER:
                if (found := definition_of(cursor)) is not None:
                    self.note_inherited(found, of)
            elif cursor.access_specifier == AccessSpecifier.PUBLIC:
                add(self.inherited, f"{of.name}::{short(cursor)}", "member", of.header)

    def add_member(self, names: Names, cursor: Cursor, of: Class) -> None:
        """Add one member, unless a derived class hides it."""
        if cursor.kind in RECORDS and cursor.is_anonymous():
            for each in cursor.get_children():
                self.add_member(names, each, of)
            return
        member = short(cursor)
        name, header = f"{of.name}::{member}", of.header
        if member in of.hidden or not member or member.startswith("~") or INTERNAL.search(name):
            return
        if cursor.kind in CLASSES or cursor.kind in ALIASES:
            add(names, name, "type", header)
        elif cursor.kind == CursorKind.ENUM_DECL:
            add(names, name, "type", header)
            self.read_enumerators(names, cursor, header, name)
        elif cursor.kind in FUNCTIONS:
            if not is_automatic(cursor):
                kind = "constructor" if member == of.last else "member"
                add(names, name, kind, header, of.numbered(signature_of(cursor)))
        elif cursor.kind in VALUES:
            add(names, name, "member", header, of.numbered(plain(cursor.type.spelling)))
        elif cursor.kind == CursorKind.USING_DECLARATION:
            add(names, name, "constructor" if member == of.last else "member", header)


def parameters_of(template: Cursor) -> list[str]:
    """The names of a template's parameters."""
    return [e.spelling for e in template.get_children() if e.kind in TEMPLATES and e.spelling]


def numbers_of(template: Cursor) -> dict[str, str]:
    """A number for each parameter."""
    return {name: f"C{number}" for number, name in enumerate(parameters_of(template), 1)}


def arguments_of(base: Cursor) -> list[str]:
    """The arguments with which a class derives from a template."""
    text, found, depth = base.type.spelling.partition("<")[2].rpartition(">")[0], [""], 0
    for character in text:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [each.strip() for each in found]


def definition_of(base: Cursor) -> Cursor | None:
    """The class, or the template, that a class derives from."""
    for each in base.get_children():
        if each.kind in (CursorKind.TEMPLATE_REF, CursorKind.TYPE_REF):
            found = each.referenced
            return found.get_definition() or found
    return None


def is_automatic(cursor: Cursor) -> bool:
    """Whether a class has a function without being asked: copies and moves."""
    if cursor.kind == CursorKind.CONSTRUCTOR:
        return bool(cursor.is_copy_constructor() or cursor.is_move_constructor())
    return str(cursor.spelling) == "operator="
