# SPDX-License-Identifier: Apache-2.0
"""A server for a folder of pages that behaves like documentation hosts.

Text is compressed, and a missing page gets the site's own 404.html.
"""

from __future__ import annotations

import contextlib
import gzip
import mimetypes
import threading
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

COMPRESSED = ("text/", "application/javascript", "application/json", "image/svg+xml")
NO_SUCH_PAGE = b"There is no such page."


@cache
def contents(path: Path) -> tuple[bytes, dict[str, str]]:
    """Return the body and headers for a file."""
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    body, headers = path.read_bytes(), {"Content-Type": kind}
    if kind.startswith(COMPRESSED):
        headers = {"Content-Type": f"{kind}; charset=utf-8", "Content-Encoding": "gzip"}
        body = gzip.compress(body)
    return body, headers


def handler_of(root: Path) -> type[BaseHTTPRequestHandler]:
    """Return the handler class for one folder's files."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = root / unquote(urlsplit(self.path).path).lstrip("/")
            path = path / "index.html" if path.is_dir() else path
            status, missing = 200, root / "404.html"
            if not path.is_file():
                status, path = 404, missing
            body, headers = contents(path) if path.is_file() else (NO_SUCH_PAGE, {})
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing: the browser reports missing files."""

    return Handler


@contextlib.contextmanager
def serving(root: Path) -> Iterator[str]:
    """Serve a folder on a free local port, and yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(root))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
