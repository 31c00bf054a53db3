# SPDX-License-Identifier: Apache-2.0
"""Generate intersphinx inventories of the few outside names we link to; no network is needed.

Each file ``docs/_outside/NAME.txt`` has a line ``base URL`` and lines ``domain:role name address``.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata
from sphobjinv import DataObjStr, Inventory, compress, writebytes

from .evidence_of_build import evidence_of

# In the same event, the root is set at 500, and intersphinx checks its mapping at 800.
BETWEEN = 600


def read_names(path: Path) -> tuple[str, Inventory]:
    """Read one list: the base address, and the names below it.

    ExtensionError: a line is not a comment, a base or a name.
    """
    base, inventory = "", Inventory()
    inventory.project, inventory.version = path.stem, ""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) == 2 and words[0] == "base":
            base = words[1]
        elif len(words) == 3 and words[0].count(":") == 1:
            domain, role = words[0].split(":")
            name = DataObjStr(
                name=words[1], domain=domain, role=role, priority="1", uri=words[2], dispname="-"
            )
            inventory.objects.append(name)
        else:
            raise ExtensionError(f"{path}:{number}: expected domain:role name address, got {line}")
    return base, inventory


def make_inventories(app: Sphinx, config: Config) -> None:
    """Write an inventory for each list and add it to intersphinx's mapping."""
    folder = evidence_of(config).layout.build / "outside"
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((Path(app.srcdir) / "_outside").glob("*.txt")):
        base, inventory = read_names(path)
        target = folder / f"{path.stem}.inv"
        writebytes(str(target), compress(inventory.data_file()))
        config.intersphinx_mapping[path.stem] = (base, (str(target),))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Run once the root is known, before intersphinx reads its mapping."""
    app.setup_extension("sphinx.ext.intersphinx")
    app.setup_extension("_ext.evidence_of_build")
    app.connect("config-inited", make_inventories, priority=BETWEEN)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
