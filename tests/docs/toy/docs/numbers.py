# SPDX-License-Identifier: Apache-2.0
"""Two numbers."""

NUMBERS = (1, 2)
