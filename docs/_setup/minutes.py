# SPDX-License-Identifier: Apache-2.0
"""The variable ``MINUTES``: sessions that would end after that time are skipped."""

from __future__ import annotations

import os
import time

import nox

STARTED = time.monotonic()


def skip_if_late(session: nox.Session, takes: float) -> None:
    """Skip a session that would end more than ``MINUTES`` after nox started; if unset, skip none.

    ``takes`` is the session's approximate duration in minutes on two cores.
    A run stopped at CI's time limit fails, whatever it has checked; a skipped session
    does not fail.
    """
    text = os.environ.get("MINUTES", "inf")
    try:
        limit = float(text)
    except ValueError:
        session.error(f"MINUTES: expected a number, got {text!r}")
    if not limit > 0:
        session.error(f"MINUTES: expected a number above 0, got {text!r}")
    spent = (time.monotonic() - STARTED) / 60
    if spent + takes > limit:
        said = f"{spent:.0f} minutes have passed, it takes about {takes:g}, and MINUTES is {text}"
        session.skip(said)
