# SPDX-License-Identifier: Apache-2.0
"""Uses the package that was made; mypy --strict checks it."""

# [use.begin]
from my_kernels import Range, steps

whole = Range(0, 10)
print(whole.size(), list(steps(whole, 4)))
# [use.end]
