# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The reference has one page for each header."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INCLUDE, PAGES = ROOT / "include", ROOT / "docs" / "reference" / "cpp"
# They only have names in a detail namespace.
WITHOUT_NAMES = {
    "tvm/ffi/big_int_words.h",
    "tvm/ffi/container/hash_table.h",
    "tvm/ffi/decimal_point.h",
    "tvm/ffi/deep_deletion.h",
    "tvm/ffi/extra/cuda/internal/driver.h",
    "tvm/ffi/extra/cuda/internal/image.h",
    "tvm/ffi/extra/json_reader.h",
    "tvm/ffi/extra/json_writer.h",
    "tvm/ffi/function_details.h",
    "tvm/ffi/keep_library.h",
    "tvm/ffi/object_memory.h",
    "tvm/ffi/optional_in_place.h",
    "tvm/ffi/string_escape.h",
}
HEADERS = {path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*.h")} - WITHOUT_NAMES


def lines(path):
    """Return the lines of a page, without comments and empty lines."""
    return [line for line in path.read_text().splitlines()[1:] if line]


def test_each_header_has_a_page():
    """A page's title is the path by which code includes the header."""
    assert sorted(lines(page)[0] for page in PAGES.glob("*.rst")) == sorted(HEADERS)


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.rst")), ids=lambda page: page.stem)
def test_page_says_what_its_header_is_for(page):
    """After the title come a sentence and a link to a page that uses it; all pages are listed."""
    _, _, sentence, link, *_ = lines(page)
    assert sentence.endswith(".")
    assert link.startswith(":doc:`/")
    assert f"   cpp/{page.stem}\n" in (PAGES.parent / "index.rst").read_text()


def test_header_without_names_has_none():
    """That header declares only implementation details."""
    for name in WITHOUT_NAMES:
        text = (INCLUDE / name).read_text()
        assert "namespace detail {" in text
        outside = re.sub(r"namespace detail \{.*\}  // namespace detail", "", text, flags=re.DOTALL)
        assert not re.search(r"^(class|struct|inline|template|using|enum) ", outside, re.MULTILINE)


def test_header_that_includes_the_others():
    """The umbrella header's page lists the headers that it does not include."""
    waiting, found = ["tvm/ffi/tvm_ffi.h"], set()
    while waiting:
        name = waiting.pop()
        if name in HEADERS and name not in found:
            found.add(name)
            waiting += re.findall(r"#include <([^>]+)>", (INCLUDE / name).read_text())
    left_out = sorted(HEADERS - found)
    assert left_out == [
        "tvm/ffi/big_int.h",
        "tvm/ffi/enum.h",
        "tvm/ffi/extra/base.h",
        "tvm/ffi/extra/base64.h",
        "tvm/ffi/extra/cuda/base.h",
        "tvm/ffi/extra/cuda/cubin_launcher.h",
        "tvm/ffi/extra/cuda/device_guard.h",
        "tvm/ffi/extra/cuda/internal/unified_api.h",
        "tvm/ffi/extra/dataclass.h",
        "tvm/ffi/extra/dtype.h",
        "tvm/ffi/extra/json.h",
        "tvm/ffi/extra/serialization.h",
        "tvm/ffi/extra/stl.h",
        "tvm/ffi/extra/storage.h",
        "tvm/ffi/extra/structural_equal.h",
        "tvm/ffi/extra/structural_hash.h",
        "tvm/ffi/extra/structural_key.h",
        "tvm/ffi/reflection/access_path.h",
        "tvm/ffi/reflection/creator.h",
        "tvm/ffi/reflection/enum_def.h",
        "tvm/ffi/reflection/overload.h",
        "tvm/ffi/rvalue_ref.h",
    ]
    page = (PAGES / "tvm_ffi.rst").read_text()
    assert sorted(set(re.findall(r"``(tvm/ffi/[^`]+\.h)``", page))) == left_out
