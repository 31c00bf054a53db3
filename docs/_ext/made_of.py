# SPDX-License-Identifier: Apache-2.0
"""Reread pages when their inputs have changed.

By itself, Sphinx rereads a page when its text or a file that it includes is newer than before. An
older file may have replaced it, so the hashes are compared too. Sphinx does not track the
extensions, the package and headers shown in the reference, or the records left by other
sessions. If their hash has changed, the environment of the last build is discarded: rereading
all pages into it would lose names of the C++ reference.
"""

from __future__ import annotations

import hashlib
import shutil
from importlib.metadata import distributions
from pathlib import Path

from _verify.closure import digest, tree_digest
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

from .repository import shown_commit
from .snippet_gate import UnverifiedSnippets

DOCS = ("_ext", "_outside", "_static", "_templates", "_verify", "benchmarks")
TREES = ("include", "python", *(f"docs/{name}" for name in DOCS))
TABLES = ("interop", "runtimes", "frameworks", "published_pages")
RECORDS = ("rows", *(f"{name}.json" for name in TABLES))  # below the build folder
FILES = ("conf.py", "docs/Doxyfile", "docs/redirects.txt", "pyproject.toml")


def hash_inputs(app: Sphinx, config: Config) -> None:
    """Hash everything except pages and the files they include."""
    root = Path(config.verify_root or app.confdir)
    paths = [root / name for name in (*TREES, *FILES)]
    paths += [root / config.verify_build / name for name in RECORDS]
    seen = [tree_digest(path) if path.is_dir() else digest(path) for path in paths]
    software = sorted({f"{each.name} {each.version}" for each in distributions()})
    config.made_of = hashlib.sha256("\n".join([*seen, *software]).encode()).hexdigest()


def texts_of(env: BuildEnvironment, page: str) -> str:
    """Return the hashes of a page and of the files that it includes."""
    files = [Path(env.srcdir, each) for each in sorted(map(str, env.dependencies.get(page, ())))]
    return "".join(map(digest, [Path(env.doc2path(page)), *files]))


def note_texts(app: Sphinx, env: BuildEnvironment) -> None:
    """Save the hash of each page that was read."""
    vars(env)["texts"] = {page: texts_of(env, page) for page in env.found_docs}


def replaced(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return pages whose text or included files have changed, though their dates are no newer."""
    before: dict[str, str] = vars(env).get("texts", {})
    others = env.found_docs - added - changed
    return [page for page in others if texts_of(env, page) != before.get(page)]


def write_all(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Rewrite all pages when the commit that they name has changed."""
    commit, before = shown_commit(app), vars(env)
    written_by, before["written_by"] = before.get("written_by"), commit
    return [] if written_by == commit else sorted(env.found_docs)


def forget_warnings(app: Sphinx, exception: Exception | None) -> None:
    """After a warning or error, reread all pages: Sphinx does not repeat warnings of kept pages.

    After the check refused a build, reread only the pages that the build had read.
    """
    if isinstance(exception, UnverifiedSnippets):
        for page in vars(app).get("pages_read", ()):
            (Path(app.doctreedir) / f"{page}.doctree").unlink(missing_ok=True)
        if kept(app).exists():
            kept(app).replace(saved(app))
    elif exception or app._warncount:
        saved(app).unlink(missing_ok=True)
    else:
        whole(app).write_text(app.config.made_of)


def saved(app: Sphinx) -> Path:
    """Return the environment that Sphinx saves, and deletes if a build ends with an exception."""
    return Path(app.doctreedir) / "environment.pickle"


def kept(app: Sphinx) -> Path:
    """Return the copy of the last build's environment."""
    return Path(app.doctreedir) / "kept.pickle"


def keep(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Keep the environment, and record the pages that this build reads."""
    vars(app)["pages_read"] = [*pages]
    kept(app).unlink(missing_ok=True)
    if saved(app).exists():
        shutil.copy(saved(app), kept(app))


def whole(app: Sphinx) -> Path:
    """Return the file with the last build's hash; absent until all of its pages are written."""
    return Path(app.doctreedir) / "whole"


def forget_others(app: Sphinx) -> None:
    """Reread all pages if the last build had other inputs or did not finish."""
    if not whole(app).exists() or whole(app).read_text() != app.config.made_of:
        saved(app).unlink(missing_ok=True)


def begin_writing(app: Sphinx, env: BuildEnvironment) -> None:
    """Once the check has passed, an interruption would leave pages of an earlier run."""
    whole(app).unlink(missing_ok=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Set the hash before Sphinx compares the settings with those of the last build."""
    app.setup_extension("_ext.evidence_of_build")
    app.setup_extension("_ext.repository")
    app.add_config_value("made_of", "", "", types=frozenset({str}))
    app.connect("config-inited", hash_inputs)
    app.connect("config-inited", lambda app, config: forget_others(app))
    app.connect("env-get-outdated", replaced)
    app.connect("env-before-read-docs", keep)
    app.connect("env-updated", note_texts)
    app.connect("env-updated", begin_writing, priority=900)
    app.connect("env-updated", write_all)
    app.connect("build-finished", forget_warnings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
