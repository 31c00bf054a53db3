# SPDX-License-Identifier: Apache-2.0
"""Warns, when ``tvm_ffi`` is imported, if another distribution shares its folder.

Whichever was installed last has overwritten ``tvm_ffi/__init__.py``, so that the check cannot stand
there: ``tvm_ffi_kernel_library.pth`` imports this module when Python starts.
"""

import sys


class _Finder:
    """Finds nothing; sees that ``tvm_ffi`` is imported, and then looks beside it, once."""

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> None:
        if name == "tvm_ffi":
            # Another list: the import that asks goes on through this one.
            sys.meta_path = [finder for finder in sys.meta_path if finder is not cls]
            cls.warn()

    @staticmethod
    def warn() -> None:
        import os

        site = os.path.dirname(os.path.abspath(__file__))
        names = [
            name.removesuffix(".dist-info")
            for name in os.listdir(site)
            if name.startswith("apache_tvm_ffi-") and name.endswith(".dist-info")
        ]
        if not names:
            return
        import warnings

        # The level of the import statement: the frames of the import system are not counted.
        warnings.warn(
            f"{names[0]} is installed in the same folder as tvm-ffi-kernel-library, {site}; "
            "both are the package tvm_ffi and overwrite each other: uninstall both, then install "
            "one",
            RuntimeWarning,
            stacklevel=3,
        )


sys.meta_path.insert(0, _Finder)
