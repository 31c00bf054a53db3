# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""How the duration of a run is broken down."""

from _verify import laps


def test_each_step_has_the_time_since_the_last(monkeypatch):
    """The times of a repeated step are added up, and the total comes last."""
    times = iter([10.0, 12.0, 15.0, 16.0])
    monkeypatch.setattr(laps.time, "monotonic", lambda: next(times))
    watch = laps.Laps()
    for step in ("site", "book", "site"):
        watch.end(step)
    assert str(watch) == "time: site 3 s, book 3 s; 6 s in all"
