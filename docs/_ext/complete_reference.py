# SPDX-License-Identifier: Apache-2.0
"""Refuse to build a site whose reference lacks a public name of a header or the package.

Public names are those that Doxygen finds in the headers, outside of detail namespaces, and those
that each public module of the package lists in ``__all__``.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of

CLASSES = {"class", "struct", "union"}
SCOPES = {"file", "namespace"}


class IncompleteReference(SphinxError):
    """A public name is on no page of the reference."""

    category = "Incomplete reference"


def declared(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each public name that Doxygen found, with its header. Specializations have no name."""
    for compound in ElementTree.parse(folder / "index.xml").getroot().iterfind("compound"):
        kind, scope = compound.get("kind"), compound.findtext("name", "")
        if kind not in CLASSES | SCOPES or "<" in scope or "@" in scope:
            continue
        [read] = ElementTree.parse(folder / f"{compound.get('refid')}.xml").iterfind("compounddef")
        prefix = f"{scope}::" if kind != "file" else ""
        if kind in CLASSES and read.get("prot") == "public":
            yield scope, header_of(read)
        elif kind in CLASSES:
            continue
        for member in read.iterfind("sectiondef/memberdef"):
            name = member.findtext("name", "")
            if member.get("prot") != "public" or member.get("kind") == "friend":
                continue
            if named(name, scope):
                yield prefix * (member.get("kind") != "define") + name, header_of(member)
            if member.get("kind") == "enum" and member.get("strong") != "yes":
                for value in member.iterfind("enumvalue"):
                    yield prefix + value.findtext("name", ""), header_of(member)


def named(name: str, scope: str) -> bool:
    """Whether code can use a member by this name.

    Excluded are anonymous types, specializations, and a class's constructors, destructors and
    assignments, which are described with the class.
    """
    own = {scope.rpartition("::")[2], "operator=", ""}
    return name not in own and not name.startswith("~") and "@" not in name and "< " not in name


def header_of(element: ElementTree.Element) -> str:
    """Return the header in which Doxygen found an element."""
    location = element.find("location")
    return location.get("file", "") if location is not None else ""


def exported(modules: Iterable[str]) -> Iterator[tuple[str, object]]:
    """Yield each name that a module of the package exports, and its value.

    Without ``__all__`` these are the functions and classes that the module itself defines.
    """
    for name in modules:
        module = importlib.import_module(name)
        own = (
            key
            for key, value in vars(module).items()
            if not key.startswith("_") and getattr(value, "__module__", "") == name
        )
        for key in getattr(module, "__all__", own):
            yield f"{name}.{key}", getattr(module, key)


def known_names(env: BuildEnvironment) -> set[str]:
    """Return every name that a page of the reference declares, in any language."""
    names = set()
    for domain in ("c", "cpp", "py"):
        for name, *_ in env.domains[domain].get_objects():
            names.add(name)
    return names


def missing_of_headers(folder: Path, known: set[str]) -> list[str]:
    """Return the header names that no page declares, each with its header."""
    return sorted({f"{header}: {name}" for name, header in declared(folder) if name not in known})


def missing_of_package(modules: Iterable[str], known: set[str]) -> list[str]:
    """Return the package's names that no page declares, under that name or another."""
    found = list(exported(modules))
    documented = {id(value) for value in map(value_of, known) if value is not None}
    return sorted(name for name, value in found if id(value) not in documented)


def value_of(name: str) -> object | None:
    """Return the value of a name in an imported module."""
    module, _, key = name.rpartition(".")
    return getattr(sys.modules.get(module), key, None)


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Compare, and raise with a list of missing names."""
    known = known_names(env)
    missing = missing_of_headers(evidence_of(app.config).layout.build / "doxygen" / "xml", known)
    missing += missing_of_package(app.config.reference_modules, known)
    if missing:
        raise IncompleteReference(f"{len(missing)} names on no page\n" + "\n".join(missing))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Check once all pages have been read."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_config_value("reference_modules", [], "env", types=frozenset({list}))
    app.connect("env-updated", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
