# SPDX-License-Identifier: Apache-2.0
"""A page for each file that the site shows, with the receipts that prove it.

The line under a piece of code links to the page of its file: when, where and how it was compiled
and run, which lines ran, and the hashes of its inputs. Each receipt is also available as JSON;
``nox -s receipt`` repeats a compilation or a run. The pages have no navigation, and the search
leaves them out. ``snippets.json`` lists all pieces of code, for the server in ``_assistant``;
``pages.json`` has the hash of each page's Markdown, and ``quoted.json`` the hashes of the files
whose declarations each page quotes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from _verify.closure import digest
from _verify.comments import places
from _verify.evidence import EARLIER, Evidence, listed
from _verify.offered import offered_bytes
from _verify.receipts import RAN_ON_GPU, Receipt, collisions, write_receipt
from _verify.survival import from_ranges
from _verify.whole_file import write_whole
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of
from .generated import QUOTED
from .snippet_gate import Snippet, judged

FOLDER = "receipts"
SNIPPETS = "snippets.json"
PAGES = "pages.json"
QUOTED_FILES = "quoted.json"
HEADERS = "include/"  # of the package: a closure has dozens of them
# Hundreds of receipts prove the header shared by all kernels. The JSON has whatever a page omits.
MOST_RECEIPTS, MOST_FILES = 8, 24


def digest_offered(app: Sphinx, file: Path) -> str:
    """Return the SHA-256 of a file's download; empty if no page offers it."""
    if os.path.relpath(file, app.srcdir) not in map(os.fspath, app.env.dlfiles):
        return ""
    return hashlib.sha256(offered_bytes(file)).hexdigest()


def address(file: str, region: str = "") -> str:
    """Return the address of a file's page within the site, and the anchor of a region."""
    return quote(f"{FOLDER}/{file}.html") + (f"#{quote(region)}" if region else "")


def linked(app: Sphinx, docname: str, text: str, file: str, region: str = "") -> nodes.Node:
    """Return a state as a link to the file's receipts, which exist only in a site."""
    if app.builder.name != "html" or not file:
        return nodes.Text(text)
    up = "../" * app.builder.get_target_uri(docname).count("/")
    target = up + address(file, region)
    return nodes.reference("", text, internal=True, refuri=target, reftitle=f"Receipts of {file}")


def receipts_of(file: str, evidence: Evidence) -> list[tuple[str, Receipt]]:
    """Return the receipts of a file, each with its level in words; other subjects' come last."""
    earlier = evidence.with_earlier_runtime
    on_gpu = [r for r in earlier.receipts if r.subject == file and not earlier.edited(r)]
    emulated = [r for r in evidence.emulated if file in r.ran and not evidence.changed(r.closure)]
    doctests = [r for r in evidence.receipts if r.subject == file and r.doctests]
    found = [
        *evidence.of(file),
        *(r for r in doctests if not evidence.edited(r)),
        *emulated,
    ]
    before = {r.file_name: r for r in (*earlier.of(file), *on_gpu)}
    seen = {r.file_name: (r.level, r) for r in found}
    every = [*seen.values(), *((f"{RAN_ON_GPU}{EARLIER}", r) for r in before.values())]
    return sorted(every, key=lambda each: (each[1].subject != file, " by " in each[1].subject))


def lines_of(receipt: Receipt, file: str, evidence: Evidence) -> list[tuple[str, str]]:
    """Return the lines of a file that a run executed, and those it did not, with the reasons."""
    if file not in receipt.ran:
        return []
    text = (evidence.layout.root / file).read_text()
    line_of = {place: line for line, place in places(file, text).items()}

    def numbers(ranges: list[str]) -> str:
        """Convert positions to lines of the file."""
        return listed(line_of[place] for place in from_ranges(ranges) if place in line_of)

    found = [("ran", numbers(receipt.ran[file]))] if receipt.ran[file] else []
    by_reason: dict[str, list[str]] = defaultdict(list)
    elsewhere = evidence.places_ran(file)
    for part, reason in receipt.idle.get(file, {}).items():
        by_another = from_ranges([part]) <= elsewhere
        by_reason[reason or ("another run went through them" if by_another else "")].append(part)
    return found + [
        (f"did not run ({why})" if why else "did not run", numbers(parts))
        for why, parts in by_reason.items()
    ]


def cells_of(level: str, receipt: Receipt, file: str, evidence: Evidence) -> dict[str, Any]:
    """Return what the page shows of a receipt."""
    files = [each for each in receipt.closure.items() if not each[0].startswith(HEADERS)]
    doctests = sum(bool(line) for lines in receipt.doctests.values() for line in lines)
    modified = receipt.runtime.get("modified") == "yes"
    return {
        "level": level,
        "subject": receipt.subject,
        "date": receipt.date,
        "commit": receipt.runtime.get("commit", ""),
        "changes": receipt.runtime.get("changes", "not recorded") if modified else "",
        "machine": list(receipt.machine.items()),
        "tools": sorted(receipt.tools.items()),
        "flags": receipt.flags,
        "targets": receipt.targets,
        "said": [(program, line) for program, line in receipt.said.items() if line],
        "doctests": doctests,
        "lines": lines_of(receipt, file, evidence),
        "files": files[:MOST_FILES],
        "more_files": len(receipt.closure) - len(files[:MOST_FILES]),
        "json": receipt.file_name,
    }


def page_of(
    app: Sphinx,
    file: str,
    shown: list[Snippet],
    receipts: list[tuple[str, Receipt]],
    evidence: Evidence,
) -> str:
    """Return the HTML of the page of a file."""
    up = "../" * (file.count("/") + 1)
    seen = {(snippet.docname, snippet.region): snippet for snippet in reversed(shown)}
    first = {snippet.region: snippet.docname for snippet in seen.values()}
    context = {
        "file": file,
        "up": up,
        "project": app.config.project,
        "sha256": digest(evidence.layout.root / file),
        "sha256_offered": digest_offered(app, evidence.layout.root / file),
        "shown": [
            {
                "address": up + app.builder.get_target_uri(snippet.docname),
                "title": app.env.titles[snippet.docname].astext(),
                "region": snippet.region,
                "anchor": snippet.region if first[snippet.region] == snippet.docname else "",
                "state": snippet.state,
            }
            for snippet in reversed(seen.values())
        ],
        "receipts": [cells_of(*each, file, evidence) for each in receipts[:MOST_RECEIPTS]],
        "more": receipts[MOST_RECEIPTS:],
    }
    return str(app.builder.templates.render("receipt.html", context))


def shown_files(app: Sphinx) -> Iterator[tuple[str, list[Snippet]]]:
    """Yield the files of the judged snippets."""
    found: dict[str, list[Snippet]] = defaultdict(list)
    for snippet in judged(app.env):
        if snippet.file:
            found[snippet.file].append(snippet)
    yield from sorted(found.items())


def write_pages(app: Sphinx, exception: Exception | None) -> None:
    """Write the pages and receipts of a successful build, replacing those of the last one."""
    if exception or app.builder.name != "html":
        return
    evidence, folder = evidence_of(app.config), Path(app.outdir) / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    every: dict[str, Receipt] = {}  # one receipt proves many files
    for file, shown in shown_files(app):
        receipts = receipts_of(file, evidence)
        every |= {receipt.file_name: receipt for _, receipt in receipts}
        page = folder / f"{file}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(page_of(app, file, shown, receipts, evidence))
    for receipt in every.values():
        write_receipt(folder, receipt)
    texts = {name: digest(Path(app.outdir) / f"{name}.md") for name in sorted(app.env.found_docs)}
    pages = {name: sha256 for name, sha256 in texts.items() if sha256}
    write_whole(Path(app.outdir) / PAGES, json.dumps(pages, indent=1) + "\n")
    quoted = {name: app.env.metadata[name].get(QUOTED, {}) for name in pages}
    write_whole(Path(app.outdir) / QUOTED_FILES, json.dumps(quoted, indent=1) + "\n")
    rows = []
    for each in judged(app.env):
        sha256 = digest(evidence.layout.root / each.file) if each.file else ""
        rows.append({**asdict(each), "verified": each.verified, "sha256": sha256})
    write_whole(Path(app.outdir) / SNIPPETS, json.dumps(rows, indent=1) + "\n")


def refuse_collisions(app: Sphinx, env: BuildEnvironment) -> None:
    """Raise if two receipts would share one file of the site; the message names both."""
    evidence = evidence_of(app.config)
    for one, other in collisions((*evidence.receipts, *evidence.emulated)):
        both = " and ".join(f"{each.subject} ({each.level})" for each in (one, other))
        raise SphinxError(
            f"receipts: expected names that differ, got {one.file_name} for {both}: rename a file"
        )


def edited_pages(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return pages whose Markdown was edited by hand since the last build, to rewrite them."""
    listed = Path(app.outdir) / PAGES
    if app.builder.name != "html" or not listed.is_file():
        return []
    try:
        pages = json.loads(listed.read_text())
    except ValueError:  # edited by hand
        return []
    return [
        name
        for name, sha256 in pages.items()
        if name in env.found_docs and digest(Path(app.outdir) / f"{name}.md") != sha256
    ]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the pages last, once every snippet has been judged."""
    app.setup_extension("_ext.evidence_of_build")
    app.setup_extension("_ext.snippet_gate")
    app.connect("env-get-outdated", edited_pages)
    app.connect("env-updated", refuse_collisions)
    # After the extension that writes the Markdown.
    app.connect("build-finished", write_pages, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
