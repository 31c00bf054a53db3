# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""Our pages correct what other documentation in this field gets wrong, next to the proof.

Unless the site is marked as partial, all code on its pages was compiled or run. So it is enough
to find the proofs at the places that the page of claims links to.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = ROOT / "docs/claims.rst"
GUIDE = "docs/guides/kernel_library_guide.rst"
SCALE = "examples/kernel_library/scale/scale_kernel.cu"


@dataclass
class Claim:
    """A claim's wording, its target label, the proofs below that label, and further tests."""

    words: str
    label: str
    page: str
    proofs: list[str]  # lines of a doctest, or "file [region]"
    tests: list[str] = field(default_factory=list)  # "file name"


TENSOR = "docs/concepts/tensor.rst"
HELD = [
    Claim(
        "compiles as it is shown",
        "anatomy-of-a-kernel",
        GUIDE,
        [f"{SCALE} [{region}]" for region in ("function", "cuda_kernel", "includes")],
        ["tests/docs/test_claims.py test_the_guide_shows_the_whole_kernel"],
    ),
    Claim(
        "An empty tensor launches nothing",
        "empty-and-large",
        GUIDE,
        [
            ">>> mod.scale(empty, torch.empty_like(empty), 2.5)",
            "examples/kernel_library/tvm_ffi_utils.h [blocks_for]",
        ],
        ["tests/examples/test_scale.py test_any_shape"],
    ),
    Claim(
        "Indices have 64 bits",
        "anatomy-of-a-kernel",
        GUIDE,
        [f"{SCALE} [cuda_kernel]"],
        [
            "tests/examples/test_scale.py test_elements_far_apart",
            "tests/examples/test_scale.py test_more_than_four_billion_elements",
        ],
    ),
    Claim(
        "Each launch is checked",
        "failed-launches",
        "docs/guides/kernels/errors.rst",
        [
            "...         mod.launch(0, 2048)",
            "examples/kernel_library/errors/errors_kernel.cu [cuda]",
        ],
        ["tests/emulation/test_failed_launches.py test_a_launch_that_fails_raises"],
    ),
    Claim(
        "not rounded to half precision",
        "dispatch-on-dtype",
        GUIDE,
        [">>> torch.equal(y16, x16 * 1.1)", ">>> 0.4 < wrong < 0.6"],
        ["tests/examples/test_scale.py test_every_16_bit_number"],
    ),
    Claim(
        "may be omitted",
        "optional-arguments",
        GUIDE,
        ["tests/snippets/many_kernels/leave_out.py [left_out]"],
        ["tests/snippets/test_many_kernels.py test_many_kernels"],
    ),
    Claim(
        "Devices can be compared with",
        "devices-of-tensors",
        TENSOR,
        [
            "tests/cpp/test_shown_tensor.cc [device]",
            "tests/snippets/refused/device_in_namespace.cc [code]",
        ],
        ["tests/cpp/test_operators.cc test_devices"],
    ),
    Claim(
        "is the first element",
        "byte-offsets",
        TENSOR,
        ["tests/cpp/test_shown_tensor.cc [byte_offset]"],
        ["tests/examples/test_scale.py test_a_byte_offset_is_honoured"],
    ),
    Claim(
        "where the array of strides is missing",
        "missing-strides",
        TENSOR,
        ["tests/cpp/test_shown_tensor.cc [null_strides]"],
        ["tests/cpp/test_tensor.cc test_null_strides"],
    ),
    Claim(
        "needs no PyTorch among the arguments",
        "outputs",
        GUIDE,
        ['>>> on_cpu.scaled(numpy.array([1.0, 2.0], dtype="float32"), 10.0)'],
    ),
    Claim(
        "may be freed after the last module",
        "after-unloading",
        "docs/guides/kernels/allocators.rst",
        [">>> is_loaded()  # although there is no module of it any more", ">>> float(x.fill_(2.0)"],
        ["tests/cpp/test_allocation.cc test_outlives_its_module"],
    ),
    Claim(
        "never read with the wrong sign",
        "lazy-views",
        TENSOR,
        [">>> identity(x)", "got a view that is negated when read; pass x.resolve_neg()"],
        ["tests/examples/test_scale.py test_views_with_a_pending_sign_are_refused"],
    ),
    Claim(
        "does not change the table of streams",
        "streams-from-arguments",
        "docs/concepts/streams.rst",
        [">>> imported = tvm_ffi.from_dlpack(OnGpu())", ">>> current(imported)\n'0x99'"],
        ["tests/python/test_stream.py test_imported_tensors_follow_the_stream"],
    ),
    Claim(
        "does not capture the ``else`` of that ``if``",
        "check-macros",
        "docs/concepts/exception_handling.rst",
        ["tests/cpp/test_shown_errors.cc [unbraced]"],
        ["tests/cpp/test_check_macros.cc test_macros_in_unbraced_if_else"],
    ),
    Claim(
        "keeps its kind",
        "bugs-of-a-library",
        "docs/guides/kernels/errors.rst",
        [">>> mod.half_of(3)", "tvm_ffi.error.InternalError: check failed"],
        ["tests/snippets/test_errors.py test_kinds"],
    ),
    Claim(
        "loads a file from the current folder",
        "trouble-no-such-file",
        "docs/guides/troubleshooting.rst",
        ['>>> tvm_ffi.load_module("scale_cpu.so").path'],
        ["tests/python/test_module.py test_ways_to_name_a_library"],
    ),
]


def claims_on_the_page() -> list[str]:
    """Return the items of the page's lists, each on one line."""
    text = CLAIMS.read_text()
    items = re.findall(r"^\* .*(?:\n  .*)*", text, re.MULTILINE)
    return [" ".join(item.split()) for item in items]


def below(page: str, label: str) -> str:
    """Return the text below a label, up to the next heading of the same level."""
    text = (ROOT / page).read_text()
    parts = text.split(f"\n.. _{label}:\n")
    assert len(parts) == 2, (
        f"{page}: expected the label {label} once, got it {len(parts) - 1} times"
    )
    heading = re.match(r"\n.+\n([-~=])\1+\n", parts[1])
    marks = heading[1] if heading else "-~="
    start = heading.end() if heading else 0
    return re.split(rf"\n.+\n([{marks}])\1+\n", parts[1][start:])[0]


def shown(text: str, page: str) -> str:
    """Return the text with each included region as one line, ``file [region]``."""
    folder = (ROOT / page).parent

    def name(found: re.Match) -> str:
        return f"{(folder / found[1]).resolve().relative_to(ROOT)} [{found[2]}]"

    return re.sub(r"\.\. literalinclude:: (\S+)\n\s+:region: (\w+)", name, text)


def defines(path: str, name: str) -> bool:
    """Whether a test file defines a test with this name."""
    text = (ROOT / path).read_text()
    if path.endswith(".cc"):
        return f"TVM_FFI_DLL_EXPORT_TYPED_FUNC({name}," in text
    return f"\ndef {name}(" in text


def test_the_page_and_this_list_hold_the_same_claims():
    """Each claim of the page is in this list, in order of sections, and links to its proof."""
    items = claims_on_the_page()
    assert len(items) == len(HELD)
    for claim in HELD:
        (item,) = (item for item in items if claim.words in item)
        assert re.search(rf":ref:`(?:[^`<]*<)?{claim.label}>?`", item), item


@pytest.mark.parametrize("claim", HELD, ids=lambda claim: claim.words)
def test_the_proof_stands_where_the_claim_leads(claim):
    """The doctest or code is below the label, and the tests exist."""
    text = shown(below(claim.page, claim.label), claim.page)
    for proof in claim.proofs:
        assert proof in text, f"{claim.page}: {claim.label}: expected {proof!r}, got\n{text}"
    for test in claim.tests:
        assert defines(*test.split()), f"there is no test {test}"


def test_the_guide_shows_the_whole_kernel():
    """The guide shows every line of its CUDA kernel's code, so what is printed compiles."""
    source = (ROOT / SCALE).read_text()
    for region in re.findall(r"scale_kernel\.cu\n\s+:region: (\w+)", (ROOT / GUIDE).read_text()):
        begin, end = f"// [{region}.begin]\n", f"// [{region}.end]\n"
        source = source[: source.index(begin)] + source[source.index(end) + len(end) :]
    left = [line for line in source.splitlines() if line and not line.startswith("//")]
    assert left == []
