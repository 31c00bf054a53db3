# SPDX-License-Identifier: Apache-2.0
"""Use the installed wheel with NumPy."""

# [use.begin]
import numpy
from row_scale import scale_rows

x = numpy.array([[1, 2, 3], [4, 5, 6]], dtype="float32")
scale = numpy.array([10, 100], dtype="float32")
y = numpy.empty_like(x)
scale_rows(x, scale, y)
print(y.tolist())
scale_rows(x, scale, y, bias=numpy.array([1, 2, 3], dtype="float32"))
print(y.tolist())
try:
    scale_rows(x, scale[:1], y)
except ValueError as error:
    print(error)
# [use.end]
