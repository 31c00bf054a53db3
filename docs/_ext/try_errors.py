# SPDX-License-Identifier: Apache-2.0
"""The directive ``try-errors``: choose how to call ``scale``, and see the result.

Each build runs all the calls with the library that it has just built and tested. A form on the page
shows the chosen program and its result; readers without scripts have the table of messages.
"""

from __future__ import annotations

import json
import subprocess
import sys
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import PythonLexer  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of
from .scale_calls import AXES, FRAMEWORKS, LOAD, SHOW, Option, choices, program
from .script_form import ScriptForm
from .verification import table

PROGRAM = Path(__file__).with_name("scale_calls.py")
SCRIPT = "try_errors.js"
HEADINGS = ["Mistake", "Error"]
PLAIN = tuple(axis.options[0] for axis in AXES)


def run_calls(libraries: Path) -> dict[str, Any]:
    """Return the results of all calls, run in the folder with scale_cpu.so."""
    command = [sys.executable, str(PROGRAM)]
    found: dict[str, Any] = json.loads(subprocess.check_output(command, cwd=libraries, text=True))
    return found


def results_by_choice(found: dict[str, Any]) -> dict[tuple[Option, ...], str | None]:
    """Return the result of each choice; None if the framework lacks an option."""
    told = (None if cell is None else found["results"][cell] for cell in found["cells"])
    return dict(zip(choices(), told, strict=True))


def single_mistakes(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return failing choices that differ from the plain call in one option, with their errors."""
    of_choice = results_by_choice(found)
    frameworks: dict[tuple[str, str], list[str]] = {}
    for place, axis in enumerate(AXES[1:], start=1):
        for option in axis.options[1:]:
            for framework in AXES[0].options:
                choice = (framework, *PLAIN[1:place], option, *PLAIN[place + 1 :])
                told = of_choice[choice]
                if told is not None and "Error: " in told.partition("\n")[0]:
                    key = f"{axis.label}: {option.label}", told
                    frameworks.setdefault(key, []).append(framework.label)
    return [
        (label if len(names) == len(FRAMEWORKS) else f"{label} ({', '.join(names)})", told)
        for (label, told), names in frameworks.items()
    ]


def coloured(code: str) -> str:
    """Return Python code as HTML."""
    return str(highlight(code, PythonLexer(), HtmlFormatter(nowrap=True))).rstrip("\n")


def form(found: dict[str, Any]) -> str:
    """Return the form, with the parts of all programs and all results; its script shows it."""
    fields, axes = [], []
    for axis in AXES:
        options = "".join(
            f'<option value="{place}">{escape(option.label)}</option>'
            for place, option in enumerate(axis.options)
        )
        fields.append(f'<label>{axis.label} <select name="{axis.name}">{options}</select></label>')
        axes.append([{each: coloured(code) for each, code in o.code.items()} for o in axis.options])
    data = {
        **found,
        "axes": axes,
        "frameworks": FRAMEWORKS,
        "load": coloured(LOAD),
        "show": coloured(SHOW),
    }
    # No text in the data may close the element that contains it.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    result = escape(results_by_choice(found)[PLAIN] or "")
    return (
        '<form class="try-errors" aria-label="A call of scale" hidden>'
        f'<div class="try-choices">{"".join(fields)}</div>'
        '<div class="highlight-python notranslate"><div class="highlight"><pre>'
        f"{coloured(program(PLAIN))}\n</pre></div></div>"
        f'<p class="try-result"><output>{result}</output></p>'
        f'<script type="application/json">{text}</script></form>'
    )


def results_file(env: BuildEnvironment) -> Path:
    """Return the file in which a build keeps the calls' results."""
    return evidence_of(env.config).layout.build / "calls_of_scale.json"


def keep(kept: Path, libraries: Path) -> None:
    """Run the calls and keep the results, or none if there is no library."""
    if not (libraries / "scale_cpu.so").exists():
        kept.unlink(missing_ok=True)
        return
    found = run_calls(libraries)
    if not kept.exists() or json.loads(kept.read_text()) != found:
        kept.write_text(json.dumps(found))  # newer than the page, which is then reread


def write(app: Sphinx) -> None:
    """Run the calls before the pages are read; a book reuses what the site's build has read."""
    kept = results_file(app.env)
    if app.builder.name != "epub" or not kept.exists():
        keep(kept, evidence_of(app.config).layout.libraries)


class TryErrors(SphinxDirective):
    """Shows the ``form``, or the ``table`` of the messages caused by a single mistake."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Create it from the results of this build's calls."""
        wanted = self.arguments[0]
        if wanted not in ("form", "table"):
            raise self.error(f"try-errors: expected 'form' or 'table', got {wanted!r}")
        kept = results_file(self.env)
        self.env.note_dependency(str(kept))
        self.env.note_dependency(str(PROGRAM))
        if not kept.exists():
            return [nodes.paragraph("", "No library was built here: nox -s docs.")]
        found = json.loads(kept.read_text())
        if wanted == "form":
            return [ScriptForm(html=form(found), script=SCRIPT)]
        rows: list[list[str | nodes.Node]] = [
            [choice, nodes.literal("", told, generated=True)]
            for choice, told in single_mistakes(found)
        ]
        return [table(HEADINGS, rows)]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.evidence_of_build")
    app.setup_extension("_ext.script_form")
    app.add_directive("try-errors", TryErrors)
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
