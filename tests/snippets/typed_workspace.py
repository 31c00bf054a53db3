# SPDX-License-Identifier: Apache-2.0
"""Creates an object of a class that type checkers know; test_object_types.py has it checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tvm_ffi

library = tvm_ffi.load_module("./workspace.so")


# [typed.begin]
@tvm_ffi.register_object("workspaces.Workspace")
class Workspace(tvm_ffi.Object):
    """A workspace, as a type checker sees it."""

    bytes: int
    name: str
    zeroed: bool

    if TYPE_CHECKING:

        def __init__(self, bytes: int, name: str = ..., *, zeroed: bool = ...) -> None: ...
        def megabytes(self) -> int:
            """Its size in megabytes."""


# [typed.end]

workspace = Workspace(3000000, zeroed=False)
print(workspace.name, workspace.megabytes())
