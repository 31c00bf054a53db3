# SPDX-License-Identifier: Apache-2.0
"""The other files that the toy's pages show."""

import runpy
import subprocess


def test_greeting_says_hello(shows, captured):
    """The script prints the greeting that the page shows."""
    script = shows("docs/greet.sh")
    done = subprocess.run(["bash", script], capture_output=True, text=True, check=True)
    captured("docs/greeting.txt", done.stdout)


def test_page_of_numbers_is_the_same_on_each_device(shows, device, libraries):
    """A test that takes the device verifies the file for that device."""
    namespace = runpy.run_path(str(shows("docs/numbers.py")))
    assert namespace["NUMBERS"] == (1, 2)
    assert (libraries / f"scale_{device}.so").exists()
