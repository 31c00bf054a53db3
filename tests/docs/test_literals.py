# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Which literals are names and which are code."""

import pytest

pytest.importorskip("docutils", reason="the site needs Python 3.11")

from _ext.literals import problem_of
from docutils import nodes
from docutils.core import publish_doctree


def problems(text):
    """Return the problems with a page's literals."""
    tree = publish_doctree(text, settings_overrides={"report_level": 5})
    return [said for said in map(problem_of, tree.findall(nodes.literal)) if said]


@pytest.mark.parametrize(
    "text",
    [
        *("``nvcc``", "``clang++``", "``--libdir``", "``-Wall``", "``.nox``", "``./scale.so``"),
        *("``include/``", "``tvm/ffi/any.h``", "``tvm_ffi.load_module``", "``Tensor::size()``"),
        *("``f(...)``", "``Map<K, V>``", "``__tvm_ffi_<name>``", "``TORCH_CHECK``"),
        *("``a``, ``b()``", "``a``,\n``b``", "``x = 1`` sets it", "Write ``f(1, 2)``."),
        "* - a cell of prose: ``int x = 1;``",
    ],
)
def test_names_and_prose(text):
    """A name may be by itself, and anything may be in a sentence."""
    assert problems(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *("``x = 1``", "``int x;``", "``f(1)``", "``rm -rf x``", "``return``\n``x``", "``i < n``"),
        *("``0.25``", "``12 ms``", '``"text"``', "``[1, 2]``", "``a``; ``b``", "``$HOME``"),
        *("- ``x = 1``", "``x = 1``\n   A term.", "``x = 1``\n=========", "**1** ``x = 1``"),
        ".. |x| replace:: ``x = 1``",
    ],
)
def test_code(text):
    """Code outside a sentence is refused once per block."""
    assert len(problems(text)) == 1
