# SPDX-License-Identifier: Apache-2.0
"""Compare the public names of two packages, name by name."""

from __future__ import annotations

from typing import Any

from .names import Name, Names

SAME, DIFFERS, ONLY_THERE, ONLY_HERE = "same", "differs", "only there", "only here"


def compare(there: Names, here: Names) -> list[dict[str, Any]]:
    """A row for each name, in the order of the places that declare them there, or else here."""
    rows = [row_of(name, there.get(name), here.get(name)) for name in {*there, *here}]
    return sorted(rows, key=lambda row: (row["place"], row["name"]))


def row_of(name: str, there: Name | None, here: Name | None) -> dict[str, Any]:
    """What is said of one name; the signatures only where they differ."""
    entry = there or here
    assert entry is not None
    row: dict[str, Any] = {"name": name, "kind": entry.kind, "place": entry.place}
    if there is None or here is None:
        return {**row, "state": ONLY_THERE if there else ONLY_HERE}
    if here.place != there.place:
        row["here_in"] = here.place
    one, other = said(there), said(here)
    if there.kind != here.kind:
        one, other = [there.kind, *one], [here.kind, *other]
    elif not one or not other:
        other = one
    if one == other:
        return {**row, "state": SAME}
    return {**row, "state": DIFFERS, "there": one, "here": other}


def said(name: Name) -> list[str]:
    """The signatures; one that an object takes, const or not, once."""
    const = {each for each in name.signatures if each.endswith(" const")}
    return sorted({*name.signatures} - {each.removesuffix(" const") for each in const})
