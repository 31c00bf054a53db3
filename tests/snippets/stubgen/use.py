# SPDX-License-Identifier: Apache-2.0
"""Uses the generated package; mypy --strict checks it."""

# [use.begin]
from my_kernels import Range, steps

whole = Range(0, 10)
print(whole.size(), list(steps(whole, 4)))
# [use.end]
