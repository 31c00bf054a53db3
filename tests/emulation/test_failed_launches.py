# SPDX-License-Identifier: Apache-2.0
# Rows: R6, R9
"""A launch that CUDA refuses raises an error from the function that made it, in every example."""

import emulate
import pytest
import tvm_ffi
from _verify.examples import find_examples
from _verify.layout import Layout

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

# Longer by one than what begins at a boundary of vectors.
X, Y, Z = (torch.ones(65) for _ in range(3))
ROWS = torch.ones(4, 16)
FP8 = torch.ones(4, 16).to(torch.float8_e4m3fn)
BINS = torch.ones(64, dtype=torch.int64)
COUNTS = torch.zeros(4, dtype=torch.int64)

# Calls that together make each launch of the example's source once.
CALLS = {
    "add_one": [lambda mod: mod.add_one(X, Y)],
    "c_abi": [lambda mod: mod.scale(X, Y, 2.0), lambda mod: mod.scale(X[::2], Y[:33], 2.0)],
    "dispatch": [lambda mod: mod.add(X, X, Y), lambda mod: mod.add(X[1:], X[1:], Y[1:])],
    "errors": [
        lambda mod: mod.launch(0, 32),
        lambda mod: mod.first_column(ROWS, torch.ones(4, dtype=torch.bool), Y[:4]),
    ],
    "jax_call": [lambda mod: mod.rotate(X, Y, torch.empty(65), torch.empty(65), 1.0)],
    "library": [
        lambda mod: mod.axpy(2.0, X, Y),
        lambda mod: mod.vecdot(ROWS, ROWS, Y[:4]),
    ],
    "nonzero": [lambda mod: mod.nonzero(X)],
    "quantize_fp8": [
        lambda mod: mod.quantize_fp8(ROWS, FP8, Z[:4]),
        lambda mod: mod.dequantize_fp8(FP8, Z[:4], torch.empty(4, 16)),
    ],
    "rms_norm": [lambda mod: mod.rms_norm(X, Y, 1e-5)],
    "scale": [lambda mod: mod.scale(X, Y, 2.0), lambda mod: mod.scale(X[::2], Y[:33], 2.0)],
    "softmax": [lambda mod: mod.softmax(X, Y)],
    "storage": [lambda mod: mod.histogram(BINS, COUNTS)],
    "streams_and_graphs": [lambda mod: mod.normalize(X, torch.empty(mod.workspace_size()), Y)],
    "torch_op": [lambda mod: mod.relu_squared(X, Y)],
    "workspace": [lambda mod: mod.histogram(BINS, COUNTS, torch.empty(1 << 16, dtype=torch.uint8))],
}


def launches_in(example) -> int:
    """Count the launches that stand in an example's source."""
    folder = emulate.EXAMPLES / example
    return sum(path.read_text().count("<<<") for path in folder.rglob("*.cu*"))


def test_every_example_with_a_launch_is_here():
    """A new example adds its calls above."""
    names = [example.name for example in find_examples(Layout.of(emulate.ROOT))]
    assert sorted(CALLS) == sorted(name for name in names if launches_in(name))


@pytest.mark.parametrize("example", CALLS)
def test_a_launch_that_fails_raises(example, tmp_path, monkeypatch):
    """Each launch is checked by its own function; where it succeeds, nothing is raised."""
    monkeypatch.setattr(emulate, "OUTPUT", tmp_path)
    mod = tvm_ffi.load_module(emulate.build(example, ["-O0"]))
    seen = 0
    for call in CALLS[example]:
        mod.refuse_launch(-1)
        call(mod)
        made = mod.launches()
        for number in range(made):
            mod.refuse_launch(number)
            with pytest.raises(RuntimeError, match="a launch that was told to fail"):
                call(mod)
        seen += made
    assert seen == launches_in(example)
