# SPDX-License-Identifier: Apache-2.0
"""What both packages offer to Python: modules, classes, functions, global functions."""

from __future__ import annotations

import ast
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .names import Names, add

PROGRAM = Path(__file__).with_name("python_names.py")


@dataclass
class Package:
    """What an interpreter said of the package that it imports."""

    version: str
    folder: Path
    scripts: list[str]
    names: Names = field(default_factory=dict)
    globals: Names = field(default_factory=dict)


def public_modules(root: Path) -> list[str]:
    """The modules that the reference describes, as the site's configuration lists them."""
    for node in ast.parse((root / "conf.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "reference_modules":
            return list(ast.literal_eval(node.value))
    raise ValueError("conf.py: expected reference_modules, got none")


def read_packages(pythons: dict[str, str], root: Path) -> dict[str, Package]:
    """Ask both interpreters; each looks for the names of the other one too."""
    modules = {"ours": public_modules(root), "published": []}
    running = {
        kind: subprocess.Popen(
            [python, str(PROGRAM), *modules[kind]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for kind, python in pythons.items()
    }
    offered = {}
    for kind, process in running.items():
        assert process.stdout is not None
        offered[kind] = process.stdout.readline()
    other = {"ours": "published", "published": "ours"}
    told: dict[str, Any] = {}
    for kind, process in running.items():
        output, _ = process.communicate(offered[other[kind]] or "[]\n")
        if process.returncode != 0:
            raise RuntimeError(f"{PROGRAM.name}: {pythons[kind]} failed")
        told[kind] = json.loads(output)
    return packages_of(told)


def packages_of(told: dict[str, Any]) -> dict[str, Package]:
    """Put the answers into names; the members of a class stand under one of its names."""
    shown = shown_classes(told["published"], told["ours"])
    found = {}
    for kind, each in told.items():
        package = Package(each["version"], Path(each["package"]), each["scripts"])
        for name, (what, signature) in each["names"].items():
            place = name if what == "module" else name.rpartition(".")[0]
            add(package.names, name, what, place, signature)
            if name in shown:
                for member, (said, of_member) in each["members"].get(name, {}).items():
                    add(package.names, f"{name}.{member}", said, place, of_member)
        for name in each["globals"]:
            add(package.globals, name, "function", name.partition(".")[0])
        found[kind] = package
    return found


def shown_classes(*packages: dict[str, Any]) -> set[str]:
    """Of the names of each class, the shortest that both packages have, or the shortest."""
    shown: set[str] = set()
    taken: set[str] = set()
    common = {*packages[0]["members"]} & {*packages[1]["members"]}
    for package in packages:
        for names in package["aliases"]:
            if taken.isdisjoint(names):
                shown.add(next((name for name in names if name in common), names[0]))
            taken.update(names)
    return shown
