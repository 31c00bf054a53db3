# SPDX-License-Identifier: Apache-2.0
"""Serve a built site to a coding assistant over MCP: ``python docs/_assistant/server.py SITE``.

A client starts it and communicates over standard input and output. It runs no code from the site,
writes nothing and uses no network.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # for the imports below

from mcp.server import MCPServer  # noqa: E402
from mcp.server.mcpserver.exceptions import ToolError  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _assistant.answers import Answers  # noqa: E402  (in the folder added above)

NAME = "tvm-ffi-kernel-library"
INSTRUCTIONS = (
    "Code for shipping C++ and CUDA kernels as one library, from a site that shows only code that "
    "was compiled or run. Begin with search. Take code from snippet, which refuses what no run "
    "verified or what was edited since, and name the source and the receipt of what you quote. "
    "Where on_gpu is false, say that the code did not run on a GPU."
)
DESCRIPTIONS = {
    "search": "Find sections by words: headings, text, files and regions; best first, each with "
    "its page, its anchor and the code that it shows, and whether that ran on a CPU or a GPU.",
    "snippet": "The code of a region of a file, or of a file that a page shows whole, exactly as "
    "the page shows it, with its receipts. An error if it is not verified now.",
    "receipt": "All that a receipt records: commands, output, machine, tools, lines that ran, "
    "hashes; and which files were edited since.",
    "page": "A page as Markdown. If any code on it is not verified now, its code blocks are left "
    "out, and the reasons are listed. An error if it quotes declarations that were edited since.",
}


def configuration(python: str, server: str, site: str) -> str:
    """Return the entry for a client's configuration file."""
    entry = {"command": python, "args": [server, site]}
    return json.dumps({"mcpServers": {NAME: entry}}, indent=2)


def reported(answer: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a tool so that its ValueErrors and file errors reach the assistant as messages."""

    @functools.wraps(answer)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return answer(*args, **kwargs)
        except ValueError as error:
            raise ToolError(str(error)) from None
        except OSError as error:
            said = f"cannot read {error.filename}: {error.strerror}"
            raise ToolError(
                f"{answer.__name__}: {said}; if the site is being built, ask again"
            ) from None

    return call


def server_of(answers: Answers) -> MCPServer:
    """Create the server, with one tool for each kind of answer."""
    server = MCPServer(NAME, instructions=INSTRUCTIONS, log_level="WARNING")
    for name, description in DESCRIPTIONS.items():
        server.add_tool(reported(getattr(answers, name)), name=name, description=description)
    return server


def main() -> None:
    """Serve until the client closes the connection, or print the entry for a client."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, help="the folder of a built site, such as build/site")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree that the site shows")
    parser.add_argument(
        "--configuration", action="store_true", help="print the entry for a client, and end"
    )
    options = parser.parse_args()
    try:
        answers = Answers(options.site, options.root)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    if options.configuration:
        server = Path(__file__).resolve()
        print(configuration(sys.executable, str(server), str(answers.site.folder)))
    else:
        server_of(answers).run()


if __name__ == "__main__":
    main()
