# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The include graphs of the extension, the library and the headers are layered, without cycles.

A unit is a header and the source file of the same name: both depend on what either includes. So
a source file cannot hide a dependency of a lower layer on its header.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREES = ["python/tvm_ffi/_core", "src", "include"]
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def unit_graph(tree: Path) -> dict[str, set[str]]:
    """The units of a tree, named with their folders, and the units that each includes.

    A name is looked up beside the including file, then at the top of the tree; if neither has it,
    it belongs to another tree.
    """
    graph: dict[str, set[str]] = {}
    for path in sorted(tree.rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        unit = path.relative_to(tree).with_suffix("").as_posix()
        included = graph.setdefault(unit, set())
        for name in INCLUDE.findall(path.read_text()):
            found = next((at for at in (path.parent / name, tree / name) if at.is_file()), None)
            if found is not None:
                resolved = found.resolve().relative_to(tree.resolve())
                included.add(resolved.with_suffix("").as_posix())
        included.discard(unit)
    return graph


def layers(graph: dict[str, set[str]]) -> list[list[str]]:
    """The units in layers, each of which includes only units of earlier layers.

    The layers stop when every remaining unit is part of a cycle or depends on one.
    """
    below: set[str] = set()
    found: list[list[str]] = []
    while layer := sorted(unit for unit in graph if unit not in below and graph[unit] <= below):
        found.append(layer)
        below.update(layer)
    return found


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Units that each include the next, ending with the first one again; empty if layered."""
    left = set(graph).difference(*layers(graph))
    if not left:
        return []
    # Each remaining unit includes another remaining one, so the walk must revisit a unit.
    walk = [min(left)]
    while walk[-1] not in walk[:-1]:
        walk.append(min(graph[walk[-1]] & left))
    return walk[walk.index(walk[-1]) :]


@pytest.mark.parametrize("tree", TREES)
def test_includes_have_no_cycle(tree: str) -> None:
    """Every unit can be read and changed with only the layers below it in mind."""
    graph = unit_graph(ROOT / tree)
    assert len(graph) > 20
    assert sum(map(len, graph.values())) > 20
    assert " -> ".join(cycle(graph)) == ""


def folder_graph(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The folders of units, and those that they include; a top-level unit is its own folder."""
    folders: dict[str, set[str]] = {}
    for unit, included in graph.items():
        folder = unit.partition("/")[0]
        folders.setdefault(folder, set()).update(each.partition("/")[0] for each in included)
    return {folder: included - {folder} for folder, included in folders.items()}


def test_folders_of_the_extension_are_layers() -> None:
    """Each folder includes only folders that AGENTS.md names before it."""
    graph = folder_graph(unit_graph(ROOT / "python/tvm_ffi/_core"))
    assert " -> ".join(cycle(graph)) == ""
    told = re.findall(r"`(\w+)/`", (ROOT / "AGENTS.md").read_text().split("those before it: ")[1])
    order = [*told[: len(graph) - 1], "init"]
    assert sorted(order) == sorted(graph)
    for place, folder in enumerate(order):
        assert graph[folder] <= set(order[:place]), folder


def write_tree(tree: Path, files: dict[str, str]) -> None:
    """Write files that include others, each given as `name: included included`."""
    for name, included in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("".join(f"#include {each}\n" for each in included.split()))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.h": "", "b.h": '"a.h"', "c.h": '"a.h" "b.h"'}, []),
        # Only the header is below b; its source file is above.
        ({"a.h": "", "a.cc": '"a.h" "b.h"', "b.h": '"a.h"', "c.h": '"b.h"'}, ["a", "b", "a"]),
        ({"a.h": "<t/b.h>", "t/b.h": '"c.h"', "t/c.h": "<a.h>"}, ["a", "t/b", "t/c", "a"]),
        # Units of the same name in different folders are distinct.
        ({"a.h": '"t/a.h"', "t/a.h": '"b.h"', "t/b.h": "", "b.h": '"a.h"'}, []),
        ({"a.h": "<vector>", "b.h": '"../other/a.h"'}, []),
    ],
)
def test_cycle_is_found(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    """A cycle is named by its units, even through a source file or across folders."""
    write_tree(tmp_path, files)
    assert cycle(unit_graph(tmp_path)) == expected
