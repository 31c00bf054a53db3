# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""Every page of the site, in a real browser."""

import pytest
from conftest import SCREENSHOTS


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_in_a_browser(window, address, every_page, scheme):
    """No page has errors, foreign requests, sideways scroll or barriers; each is small and fast."""
    findings = window(scheme).visit(address, every_page, SCREENSHOTS)
    assert not findings, "\n".join(["", *findings])
