# SPDX-License-Identifier: Apache-2.0
"""The variable ``MINUTES``: sessions that are left out once a run has taken so long."""

from __future__ import annotations

import os
import time

import nox

STARTED = time.monotonic()


def skip_if_late(session: nox.Session) -> None:
    """Skip a session that begins later than ``MINUTES`` after nox did; without it, none.

    CI has a limit, and machines differ: what has been checked counts more than what was not ended.
    """
    text = os.environ.get("MINUTES", "inf")
    try:
        limit = float(text)
    except ValueError:
        session.error(f"MINUTES: expected a number, got {text!r}")
    if not limit > 0:
        session.error(f"MINUTES: expected a number above 0, got {text!r}")
    spent = (time.monotonic() - STARTED) / 60
    if spent >= limit:
        session.skip(f"{spent:.0f} minutes have passed, and MINUTES is {text}")
