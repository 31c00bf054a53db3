# SPDX-License-Identifier: Apache-2.0
"""The directives ``machine-code`` and ``machine-code-model``, each about an example's kernels.

The first shows facts and links to the disassembly; the second shows the speed they allow per GPU.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, ClassVar

import tomllib
from _verify.layout import Layout
from _verify.machine_code_record import (
    COLUMNS,
    LISTED,
    MODEL_COLUMNS,
    listing_path,
    model_rows,
    record_of,
    rows_of,
)
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .made_html import folded
from .verification import in_its_own_box, table


class OfExample(SphinxDirective):
    """Shows part of the record of ``nox -s machine_code``, or names the session to run."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Look up the example."""
        name = self.arguments[0]
        root = Path(self.config.verify_root)
        if not (Layout.of(root).examples / name).is_dir():
            raise self.error(f"{self.name}: expected the name of an example, got {name!r}")
        self.env.note_reread()  # the record changes without the page
        if (record := record_of(root, root / self.config.verify_build)) is None:
            text = "Not examined on this tree; nox -s machine_code does it."
            return [nodes.paragraph("", "", nodes.emphasis("", text))]
        return self.show(name, record)

    def show(self, name: str, record: dict[str, Any]) -> list[nodes.Node]:
        """Create the nodes of one example."""
        raise NotImplementedError

    def named(self, rows: list[list[str]]) -> list[list[str | nodes.Node]]:
        """Return table rows with kernel names as code that no machine has to run."""
        return [[nodes.literal("", name, generated=True), *cells] for name, *cells in rows]


class MachineCode(OfExample):
    """A table of facts for each architecture, and a link to the disassembly.

    For the example as it is, or with the change named by the option ``planted``.
    """

    option_spec: ClassVar[dict[str, Any]] = {"planted": directives.unchanged_required}

    def show(self, name: str, record: dict[str, Any]) -> list[nodes.Node]:
        """Unfold only the table of the listed architecture."""
        planted = self.options.get("planted")
        facts = record["planted"][name].get(planted) if planted else record["examples"][name]
        if not facts:
            raise self.error(f"machine-code: found no kernels of {name} {planted or ''}")
        listed = f"{name}_{planted}" if planted else name
        made: list[nodes.Node] = []
        for architecture in dict.fromkeys([LISTED, *(each["architecture"] for each in facts)]):
            rows = self.named(rows_of(facts, architecture))
            shown: list[nodes.Node] = [in_its_own_box(table([architecture, *COLUMNS], rows))]
            said = f"Compiled by {record['tools']}; the disassembly, with a bar beside its loops: "
            link = self.link_to(listed, architecture)
            shown.append(nodes.paragraph("", "", nodes.Text(said), link, nodes.Text(".")))
            made += shown if architecture == LISTED else [folded(f"{architecture}", shown)]
        return made

    def link_to(self, listed: str, architecture: str) -> nodes.Node:
        """Return a link that downloads a disassembly."""
        build = Path(self.config.verify_root) / self.config.verify_build
        path = listing_path(build, listed, architecture)
        page = Path(self.env.doc2path(self.env.docname)).parent
        return addnodes.download_reference(
            "",
            "",
            nodes.literal("", path.name, classes=["xref", "download"]),
            refdoc=self.env.docname,
            refdomain="",
            reftype="download",
            refexplicit=True,
            reftarget=Path(os.path.relpath(path, page)).as_posix(),
            refwarn=False,
        )


class MachineCodeModel(OfExample):
    """A table of the speed expected on each GPU, and the reasons where it is low."""

    def show(self, name: str, record: dict[str, Any]) -> list[nodes.Node]:
        """Show the kernels whose rules require full vectors."""
        rules = rules_of(Path(self.config.verify_root), name)
        facts = [
            fact
            for fact in record["examples"][name]
            if (rule := rule_for(fact["kernel"], rules))
            and max(rule.get("load", 0), rule.get("store", 0)) >= 16
            and "not_memory" not in rule
        ]
        made: list[nodes.Node] = []
        if rows := self.named(model_rows(facts)):
            made.append(in_its_own_box(table([LISTED, *MODEL_COLUMNS], rows)))
        reasons = [
            nodes.list_item(
                "",
                nodes.paragraph(
                    "", "", nodes.literal("", rule["named"], generated=True), nodes.Text(said)
                ),
            )
            for rule in rules
            if (said := reason_of(rule))
        ]
        if reasons:
            made.append(nodes.bullet_list("", *reasons))
        if not made:
            raise self.error(f"machine-code-model: found no kernel for vectors in {name}")
        return made


def rules_of(root: Path, example: str) -> list[dict[str, Any]]:
    """Return the rules for an example's kernels, in order."""
    path = root / "tests" / "machine_code" / "expected" / f"{example}.toml"
    rules: list[dict[str, Any]] = tomllib.loads(path.read_text())["kernels"]
    return rules


def rule_for(kernel: str, rules: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the first rule that matches a kernel."""
    return next((rule for rule in rules if fnmatchcase(kernel, rule["named"])), None)


def reason_of(rule: dict[str, Any]) -> str:
    """Return why a rule expects less than usual of its kernels, or nothing; empty otherwise."""
    if "not_memory" in rule:
        return f", not estimated: {rule['not_memory']}"
    if any("share" in table for table in rule.values() if isinstance(table, dict)):
        return f", below 95 %: {' '.join(rule['why'].split())}"
    return ""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives."""
    app.setup_extension("_ext.evidence_of_build")
    app.setup_extension("_ext.made_html")
    app.add_directive("machine-code", MachineCode)
    app.add_directive("machine-code-model", MachineCodeModel)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
