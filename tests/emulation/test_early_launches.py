# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Emulated cudaLaunchKernelEx launches of kernels that may start early."""

import re

import pytest
import tvm_ffi
from example_calls import torch

CLUSTER, EARLY = 4, 6  # values of cudaLaunchAttributeID
ARGUMENTS = torch.ones(65), torch.ones(65), torch.ones(65), 1e-5


@pytest.fixture
def fused(built):
    """The library of fused_add_rms_norm, on a GPU with compute capability 9.0."""
    mod = built("fused_add_rms_norm")
    yield mod
    mod.set_capability(90)


def test_arguments_become_parameters(planted):
    """An int passed for a double is converted, as in CUDA; all blocks and threads run."""
    y = torch.arange(50.0)
    planted.early(y, EARLY, True)
    assert torch.equal(y, 2 * torch.arange(50.0))


def test_each_thread_must_wait(planted):
    """If one returns without waiting, the launch fails, unless it may not start early."""
    y = torch.ones(50)
    message = (
        "emulation: early_kernel may begin early: expected each thread to call "
        "cudaGridDependencySynchronize(), got one that returned without"
    )
    with pytest.raises(RuntimeError, match=re.escape(message)):
        planted.early_without_wait(y, EARLY, True)
    planted.early_without_wait(y, EARLY, False)
    planted.early_without_wait(torch.ones(64), EARLY, True)


def test_what_is_not_emulated(planted):
    """Any other attribute is rejected, naming its number, and nothing runs."""
    y = torch.ones(50)
    message = "early_kernel: expected the attribute .*, got number 4 of cudaLaunchAttributeID"
    with pytest.raises(RuntimeError, match=message):
        planted.early(y, CLUSTER, True)
    assert torch.equal(y, torch.ones(50))


@pytest.mark.parametrize("capability", [80, 89, 90, 100])
def test_older_code_gets_no_attribute(fused, capability):
    """The emulation rejects the attribute before 9.0, and the example does not pass it there."""
    fused.set_capability(capability)
    fused.fused_add_rms_norm_early(*ARGUMENTS)


def test_older_code_is_refused_the_attribute(planted):
    """So a function that does not check the capability fails."""
    planted.set_capability(89)
    with pytest.raises(RuntimeError, match="cudaErrorNotSupported: operation not supported"):
        planted.early(torch.ones(50), EARLY, True)
    planted.set_capability(90)


def test_failures(fused):
    """The launch and each CUDA call are checked, and leave no error behind."""
    fused.fail_call(-1)
    fused.fused_add_rms_norm_early(*ARGUMENTS)
    made = fused.calls()
    fused.fused_add_rms_norm(*ARGUMENTS)
    assert fused.calls() - made == made - 1  # one more: querying the kernel's target architecture
    for number in range(made):
        fused.fail_call(number)
        with pytest.raises(RuntimeError, match="unknown error"):
            fused.fused_add_rms_norm_early(*ARGUMENTS)
        fused.fused_add_rms_norm_early(*ARGUMENTS)
    fused.refuse_launch(0)
    with pytest.raises(RuntimeError, match="too many resources requested for launch"):
        fused.fused_add_rms_norm_early(*ARGUMENTS)
    fused.fused_add_rms_norm_early(*ARGUMENTS)


def test_capture(fused):
    """The launch is recorded, and its replay gives the same result as a plain launch."""
    x, y, z = torch.rand(5, 33), torch.full((5, 33), float("nan")), torch.empty(5, 33)
    residual, other = torch.zeros(5, 33), torch.zeros(5, 33)
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cpu"), 0x10):
        fused.begin_capture(0x10, True)
        fused.fused_add_rms_norm_early(x, residual, y, 1e-5)
        assert tuple(fused.end_capture()) == (1, 0, 0, 0)
    assert y.isnan().all()
    fused.replay()
    fused.fused_add_rms_norm(x, other, z, 1e-5)
    assert torch.equal(y, z)
    assert torch.equal(residual, other)
