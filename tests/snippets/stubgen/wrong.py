# SPDX-License-Identifier: Apache-2.0
"""Errors that a type checker finds before anything runs."""

from my_kernels import Range, steps

steps("0:10", 4)
Range(0, 10).length()
text: str = steps(Range(0, 10), 4)[0]
