# SPDX-License-Identifier: Apache-2.0
"""What calls do while their stream is being captured: the rows of two tables on the site.

``tests/emulation/test_capture.py`` makes each call under emulation and asserts its row.
"""

from __future__ import annotations

from dataclasses import dataclass

GUIDE = "https://docs.nvidia.com/cuda/cuda-programming-guide/04-special-topics/cuda-graphs.html"
PROHIBITED = f"{GUIDE}#prohibited-and-unhandled-operations"
STREAMS = "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html"

UNSUPPORTED = "cudaErrorStreamCaptureUnsupported: operation not permitted when stream is capturing"
INVALIDATED = (
    "cudaErrorStreamCaptureInvalidated: operation failed due to a previous error during capture"
)
IMPLICIT = (
    "cudaErrorStreamCaptureImplicit: "
    "operation would make the legacy stream depend on a capturing blocking stream"
)


@dataclass(frozen=True)
class Outcome:
    """What a call records, or the end of its error, and whether the capture remains valid."""

    launches: int = 0
    memsets: int = 0
    tensors: int = 0  # from the caller's framework, which keeps their memory for the graph
    error: str = ""
    valid: bool = True

    def in_short(self) -> str:
        """Return whether the call is allowed."""
        if not self.error:
            return "legal"
        return "refused; the capture goes on" if self.valid else "illegal; invalidates the capture"

    def in_words(self) -> str:
        """Return what is recorded, or the error."""
        counts = {"launch": self.launches, "memset": self.memsets, "tensor": self.tensors}
        plural = {"launch": "launches", "memset": "memsets", "tensor": "tensors"}
        told = [f"{n} {name if n == 1 else plural[name]}" for name, n in counts.items() if n]
        return self.error or ", ".join(told) or "nothing to record"


# By example and function.
EXAMPLES = {
    ("add_one", "add_one"): Outcome(launches=1),
    ("c_abi", "scale"): Outcome(launches=1),
    ("column_sum", "column_sum"): Outcome(launches=2),
    ("decode_attention", "decode_attention"): Outcome(launches=2),
    ("dispatch", "add"): Outcome(launches=1),
    ("errors", "first_column"): Outcome(launches=1),
    ("errors", "launch"): Outcome(error=IMPLICIT, valid=False),
    ("fused_add_rms_norm", "fused_add_rms_norm"): Outcome(launches=1),
    ("jax_call", "rotate"): Outcome(launches=1),
    ("library", "axpy"): Outcome(launches=1),
    ("library", "vecdot"): Outcome(launches=1),
    ("nonzero", "nonzero"): Outcome(
        error="nonzero: expected a stream that is not being captured, got one that is: "
        "the shape of the result is known only when the GPU has counted"
    ),
    ("quantize_fp8", "quantize_fp8"): Outcome(launches=1),
    ("quantize_fp8", "dequantize_fp8"): Outcome(launches=1),
    ("rms_norm", "rms_norm"): Outcome(launches=1),
    ("scale", "scale"): Outcome(launches=1),
    ("silu_and_mul", "silu_and_mul"): Outcome(launches=1),
    ("softmax", "softmax"): Outcome(launches=1),
    ("storage", "histogram"): Outcome(launches=1, memsets=1, tensors=1),
    ("streams_and_graphs", "normalize"): Outcome(launches=2),
    ("torch_op", "relu_squared"): Outcome(launches=1),
    ("workspace", "histogram"): Outcome(launches=2),
}

NO_CALL = "no call of CUDA"
OWN_CHECK = "a check of the example"

# By call, with the address of CUDA's rule, or why there is none.
CALLS = {
    "TVMFFIEnvGetStream: the stream that is captured": (Outcome(), NO_CALL),
    "CUDADeviceGuard: cudaGetDevice and cudaSetDevice": (Outcome(), PROHIBITED),
    "A launch, then TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError())": (Outcome(launches=1), STREAMS),
    "cudaMemsetAsync on the captured stream": (Outcome(memsets=1), STREAMS),
    "FromEnvAlloc: memory of the framework": (Outcome(tensors=1), NO_CALL),
    "FromNDAlloc over cudaMalloc": (Outcome(error=UNSUPPORTED, valid=False), STREAMS),
    "The last owner of that tensor goes: cudaFree": (
        Outcome(error="cudaFree: operation not permitted when stream is capturing", valid=False),
        STREAMS,
    ),
    "FromNDAlloc over cudaMallocAsync, as in the allocators example": (
        Outcome(error=UNSUPPORTED),
        OWN_CHECK,
    ),
    "The last owner of that tensor goes, as in the allocators example": (
        Outcome(error="cudaFreeAsync: operation not permitted when stream is capturing"),
        OWN_CHECK,
    ),
    "storage::GetOrCreate with host memory": (Outcome(), NO_CALL),
    "cudaStreamIsCapturing of the captured stream": (Outcome(), STREAMS),
    "cudaStreamIsCapturing of the default stream, if the captured one is blocking": (
        Outcome(error=IMPLICIT),
        STREAMS,
    ),
    "A launch on the default stream, if the captured one is blocking": (
        Outcome(error=IMPLICIT, valid=False),
        PROHIBITED,
    ),
    "A launch on the default stream, if the captured one is non-blocking: it runs at once": (
        Outcome(),
        PROHIBITED,
    ),
    "cudaMemset, if the captured stream is blocking": (
        Outcome(error=IMPLICIT, valid=False),
        PROHIBITED,
    ),
    "cudaStreamSynchronize of the captured stream": (
        Outcome(error=UNSUPPORTED, valid=False),
        PROHIBITED,
    ),
    "cudaDeviceSynchronize": (Outcome(error=UNSUPPORTED, valid=False), PROHIBITED),
    "Any use of the stream after the capture was invalidated": (
        Outcome(error=INVALIDATED, valid=False),
        f"{GUIDE}#invalidation",
    ),
}
