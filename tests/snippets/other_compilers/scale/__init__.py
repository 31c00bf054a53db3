# SPDX-License-Identifier: Apache-2.0
"""The Python package of the kernel-builder project."""

# [package.begin]
from ._ops import ops  # kernel-builder generates _ops

scale = ops.scale
# [package.end]
