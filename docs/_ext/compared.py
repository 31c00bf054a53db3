# SPDX-License-Identifier: Apache-2.0
"""The directive ``compared``: all public names of this package and the published one.

``summary`` counts them, ``version`` names the published release, and a table's name shows that
table, folded by header, module or file. Our names link to their entries in the reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from _verify.compared import (
    DIFFERS,
    NAMES,
    ONLY_HERE,
    ONLY_THERE,
    REASONS,
    SAME,
    STATES,
    Compared,
    Row,
    read_compared,
)
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .made_html import folded
from .verification import in_its_own_box, table

LANGUAGES = {
    "headers": "C and C++",
    "c": "C",
    "macros": "C and C++",
    "cpp": "C++",
    "python": "Python",
    "globals": "Global",
    "commands": "Command line",
    "cmake": "CMake",
}
PLURALS = {"class": "classes"}
ORDER = (DIFFERS, ONLY_THERE, ONLY_HERE, SAME)  # most interesting first
NAMESPACE = "tvm::ffi::"


class ComparedTable(nodes.General, nodes.Element):
    """A placeholder for a table, which is created once the whole reference is known."""


class ComparedNames(SphinxDirective):
    """Shows ``summary``, ``version``, or the table of one language."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Check the reasons, and create the requested nodes."""
        root = Path(self.config.verify_root)
        for file in (NAMES, REASONS):
            self.env.note_dependency(str(root / file))
        try:
            compared = read_compared(root)
        except (OSError, ValueError) as problem:
            raise self.error(f"compared: {problem}") from problem
        if problems := compared.problems():
            raise self.error("\n".join([f"compared: {len(problems)} problems", *problems]))
        wanted = self.arguments[0]
        if wanted == "version":
            said = f"Compared with apache-tvm-ffi {compared.published}."
            return [nodes.paragraph("", said)]
        if wanted == "summary":
            return [in_its_own_box(table(["Names", *STATES], summary(compared)))]
        if wanted not in compared.tables:
            known = ["summary", "version", *compared.tables]
            raise self.error(f"compared: expected one of {', '.join(known)}, got {wanted}")
        return [ComparedTable(table=wanted)]


def summary(compared: Compared) -> list[list[str | nodes.Node]]:
    """Return the count per state for each language and kind of name, then the sum."""
    counted: dict[str, Counter[str]] = {}
    for name, rows in compared.tables.items():
        for row in rows:
            kinds = PLURALS.get(row["kind"], f"{row['kind']}s")
            subject = f"{LANGUAGES.get(name, name)}: {kinds}"
            counted.setdefault(subject, Counter())[row["state"]] += 1
    total = sum(counted.values(), Counter[str]())
    return [
        [subject, *(str(counts[state]) for state in STATES)]
        for subject, counts in [*sorted(counted.items()), ("All names", total)]
    ]


def by_place(rows: list[Row]) -> dict[str, list[Row]]:
    """Group the rows by header, module or file."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["place"], []).append(row)
    return found


def in_short(place: str, rows: list[Row]) -> str:
    """Return the line that remains visible when a place is folded."""
    counts = Counter(row["state"] for row in rows)
    return f"{place}: {', '.join(f'{counts[s]} {s}' for s in ORDER if counts[s])}"


class Names:
    """Creates names, each with its own anchor, and a link if the reference has the name."""

    def __init__(self, app: Sphinx, docname: str) -> None:
        self.taken: set[str] = set()
        self.links: dict[str, str] = {}
        for domain in ("py", "c", "cpp"):
            for name, _, _, page, anchor, _ in app.env.domains[domain].get_objects():
                uri = f"{app.builder.get_relative_uri(docname, page)}#{anchor}"
                self.links.setdefault(name, uri)

    def anchor(self, kind: str, name: str) -> str:
        """Return an unused anchor."""
        base = f"{kind}-{nodes.make_id(name)}" if nodes.make_id(name) else kind
        anchor, number = base, 2
        while anchor in self.taken:
            anchor, number = f"{base}-{number}", number + 1
        self.taken.add(anchor)
        return anchor

    def node(self, kind: str, row: Row) -> nodes.Node:
        """Return the node of one name."""
        text = row["name"].removeprefix(NAMESPACE)
        inner: nodes.Node = nodes.Text(text)
        if uri := self.links.get(row["name"]):
            inner = nodes.reference("", "", inner, internal=True, refuri=uri)
        return nodes.inline("", "", inner, ids=[self.anchor(kind, text)])

    def paragraph(self, kind: str, rows: list[Row]) -> nodes.paragraph:
        """Return the names, separated by commas."""
        made = nodes.paragraph(classes=["compared-names"])
        for row in rows:
            if made.children:
                made += nodes.Text(", ")
            made += self.node(kind, row)
        return made


def groups(compared: Compared, kind: str, rows: list[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield each state, its explanation, and the names it applies to."""
    for state in ORDER:
        found: dict[str, list[Row]] = {}
        for row in rows:
            if row["state"] == state:
                said = compared.reason_for(kind, row)
                if "here_in" in row:
                    moved = f"here in {row['here_in']}"
                    said = f"{said} It is {moved}." if said else moved
                # Each name that differs has its own signatures.
                key = f"{said}\n{row['name']}" if state == DIFFERS else said
                found.setdefault(key, []).append(row)
        for said, named in found.items():
            yield state, said.partition("\n")[0], named


def note(said: str, row: Row) -> list[nodes.Node]:
    """Return the reason and, for a name that differs, the signatures there and here."""
    made: list[nodes.Node] = [nodes.paragraph("", said)] if said else []
    for side in ("there", "here"):
        if signatures := row.get(side):
            line = nodes.paragraph("", f"{side}: ")
            for index, signature in enumerate(signatures):
                line += [nodes.Text("; ")] * (index > 0)
                line += nodes.literal("", signature, generated=True)
            made.append(line)
    return made


def make_tables(app: Sphinx, docname: str, kind: str, names: Names) -> list[nodes.Node]:
    """Return the tables of one language, folded by place."""
    compared = read_compared(Path(app.config.verify_root))
    made: list[nodes.Node] = []
    for place, rows in by_place(compared.tables[kind]).items():
        lines = table(["Names", "State", "How"], [])
        lines["classes"].append("compared")
        for state, said, named in groups(compared, kind, rows):
            cells = [[names.paragraph(kind, named)], [nodes.paragraph("", state)]]
            cells.append(note(said, named[0]))
            entries = [nodes.entry("", *each) for each in cells]
            lines[0][-1] += nodes.row("", *entries)
        made.append(folded(in_short(place, rows), [in_its_own_box(lines)]))
    return made


def fill_in(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholders with the tables."""
    places = list(doctree.findall(ComparedTable))
    names = Names(app, docname) if places else None
    for place in places:
        assert names is not None
        place.replace_self(make_tables(app, docname, place["table"], names))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.evidence_of_build")
    app.setup_extension("_ext.made_html")
    app.add_node(ComparedTable)
    app.add_directive("compared", ComparedNames)
    app.connect("doctree-resolved", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
