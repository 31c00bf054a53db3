# SPDX-License-Identifier: Apache-2.0
"""Operations on a tensor that came from outside; none may crash or misread it."""

from __future__ import annotations

from typing import Any

import tvm_ffi
from hypothesis import strategies as st
from target import Wrong, expect
from tvm_ffi import testing

ACTIONS = (
    "look",
    "text",
    "echo",
    "nest",
    "old",
    "new",
    "again",
    "stream",
    "device",
    "sizes",
    "callback",
    "numpy",
    "copy",
)
SOME_ACTIONS = st.lists(st.sampled_from(ACTIONS), max_size=4)


def look(tensor: Any, given: dict[str, Any]) -> None:
    """Compare the tensor's properties with its description."""
    shape = given["shape"] or []
    expect(list(tensor.shape) == shape, f"shape: expected {shape}, got {list(tensor.shape)}")
    found = (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes)
    expect(list(found) == given["dtype"], f"dtype: expected {given['dtype']}, got {found}")
    pair = list(tensor.__dlpack_device__())
    expect(pair == given["device"], f"device: expected {given['device']}, got {pair}")
    if given["strides"] is not None and 0 not in shape:
        strides = list(tensor.strides)
        expect(strides == given["strides"], f"strides: expected {given['strides']}, got {strides}")


def consume(tensor: Any, given: dict[str, Any], actions: list[str], honest: bool) -> None:
    """Perform each action on a tensor."""
    extents = [*tensor.shape]
    expect(min(extents, default=0) >= 0, f"a tensor of shape {extents}")
    for action in actions:
        try:
            act(tensor, given, action, honest)
        except Wrong:
            raise
        except (TypeError, ValueError, RuntimeError, BufferError, IndexError) as error:
            expect(len(str(error)) > 7, f"{action}: an error that says nothing: {error!r}")


def act(tensor: Any, given: dict[str, Any], action: str, honest: bool) -> None:
    """Perform one action on a tensor."""
    if action == "look":
        look(tensor, given)
    elif action == "text":
        repr(tensor), str(tensor.device), str(tensor.dtype), hash(tensor)
    elif action == "echo":
        look(testing.echo(tensor), given)
    elif action == "nest":
        look(tvm_ffi.convert({"a": [tensor, tensor]})["a"][1], given)
    elif action == "old":
        tensor.__dlpack__()
    elif action == "new":
        tensor.__dlpack__(max_version=(1, 3))
    elif action == "again":
        look(tvm_ffi.from_dlpack(tensor, allow_read_only=True), given)
    elif action == "stream":
        tensor.__dlpack__(stream=-1)
    elif action == "device":
        tensor.__dlpack__(dl_device=(2, 0))
    elif action == "sizes":
        tensor.numel(), tensor.ndim, tensor.is_contiguous(), tensor.read_only
        tensor.size(-1)
    elif action == "callback":
        seen = []
        testing.apply(lambda x: seen.append(x), tensor)
        look(seen[0], given)
    elif action == "numpy" and honest:
        import numpy

        numpy.from_dlpack(tensor).tobytes()
    elif action == "copy" and honest:
        tensor.__dlpack__(copy=True, max_version=(1, 3))
