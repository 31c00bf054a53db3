# SPDX-License-Identifier: Apache-2.0
"""Uses the installed package from a compiled program."""

# [use.begin]
import math

import jax
from rotate_kernels import for_jax

turned = jax.jit(lambda x, y: for_jax.rotate(x + 1, y, math.pi / 2))
x, y = turned(jax.numpy.array([0.0, 2.0]), jax.numpy.array([0.0, 4.0]))
print(x.round().tolist(), y.round().tolist())
# [use.end]
