# SPDX-License-Identifier: Apache-2.0
"""The public names of one package, as they are compared."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Name:
    """What a name is, where it is declared, and how: a function may have several signatures.

    Without signatures nothing is known of how it is used, and only the name is compared.
    """

    kind: str
    place: str
    signatures: set[str] = field(default_factory=set)


Names = dict[str, Name]


def add(names: Names, name: str, kind: str, place: str, signature: str = "") -> None:
    """Add a name, or another signature of one."""
    entry = names.setdefault(name, Name(kind, place))
    entry.place = min(entry.place, place)
    if signature:
        entry.signatures.add(signature)
