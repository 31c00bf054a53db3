# SPDX-License-Identifier: Apache-2.0
"""The toy's package."""


def double(x):
    """Twice a number.

    >>> from toy import double
    >>> double(2)
    4
    """
    return 2 * x
