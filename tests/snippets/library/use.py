# SPDX-License-Identifier: Apache-2.0
"""Uses the installed package as a user would; mypy --strict checks it too."""

# [use.begin]
import numpy
import vector_kernels

x = numpy.array([[1.0, 2.0], [3.0, 4.0]], dtype="float32")
y = numpy.ones_like(x)
vector_kernels.axpy(0.5, x, y)
print(y.tolist())

out = numpy.empty(2, dtype="float32")
vector_kernels.vecdot(x, y, out)
print(out.tolist())
# [use.end]

vector_kernels.lerp(x, y, 1.0)
assert y.tolist() == x.tolist()
