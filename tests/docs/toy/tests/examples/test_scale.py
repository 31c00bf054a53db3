# SPDX-License-Identifier: Apache-2.0
"""The thorough test of the toy's kernel."""

import ctypes
from pathlib import Path


def test_scale_multiplies_every_element(request):
    """Every element is multiplied, including the last one."""
    folder = Path(request.config.getoption("--libraries"))
    library = ctypes.CDLL(str(folder / f"scale_{request.config.getoption('--device')}.so"))
    array = ctypes.c_float * 5
    x, y = array(*range(5)), array()
    library.scale(x, y, ctypes.c_long(5), ctypes.c_float(2.0))
    assert list(y) == [0.0, 2.0, 4.0, 6.0, 8.0]
