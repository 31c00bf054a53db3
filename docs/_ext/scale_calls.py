# SPDX-License-Identifier: Apache-2.0
"""The calls of ``scale`` that the page of error messages offers, and their results.

``python scale_calls.py`` runs all of them in a folder with scale_cpu.so and prints JSON. Each call
is a separate program: the page shows the lines that ran.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LOAD, SHOW = "import tvm_ffi\n\nmod = tvm_ffi.load_module('./scale_cpu.so')", "print(y.tolist())"
NUMPY, TORCH, JAX = FRAMEWORKS = ("NumPy", "PyTorch", "JAX into NumPy")


@dataclass(frozen=True, eq=False)
class Option:
    """One choice: its label, and its lines in each framework that supports it."""

    label: str
    code: dict[str, str]


@dataclass(frozen=True)
class Axis:
    """A choice offered to the reader; the first option is the plain one."""

    name: str
    label: str
    options: tuple[Option, ...]


def everywhere(label: str, code: str) -> Option:
    """Return an option with the same code in every framework."""
    return Option(label, dict.fromkeys(FRAMEWORKS, code))


def of_dtype(name: str) -> Option:
    """Return the array ``x`` of a dtype that all frameworks have."""
    return Option(
        name,
        {
            NUMPY: f"x = numpy.arange(1, 7, dtype='{name}').reshape(2, 3)",
            TORCH: f"x = torch.arange(1, 7, dtype=torch.{name}).reshape(2, 3)",
            JAX: f"x = jax.numpy.arange(1, 7, dtype='{name}').reshape(2, 3)",
        },
    )


def in_numpy(code: str) -> dict[str, str]:
    """Return the lines of an option for a NumPy array ``y``, whatever ``x`` is."""
    return {NUMPY: code, JAX: code}


def for_each(label: str, numpy: str, torch: str) -> Option:
    """Return an option written differently in NumPy and PyTorch."""
    return Option(label, {**in_numpy(numpy), TORCH: torch})


IMPORTS = Axis(
    "framework",
    "Arrays",
    (
        Option(NUMPY, {NUMPY: "import numpy"}),
        Option(TORCH, {TORCH: "import torch"}),
        Option(JAX, {JAX: "import jax\nimport numpy"}),
    ),
)
ML_DTYPES = "import ml_dtypes\n\nx = numpy.arange(1, 7).reshape(2, 3).astype(ml_dtypes.bfloat16)"
DTYPE = Axis(
    "dtype",
    "Dtype of x",
    (
        of_dtype("float32"),
        of_dtype("float16"),
        Option("bfloat16", {**of_dtype("bfloat16").code, NUMPY: ML_DTYPES}),
        of_dtype("int32"),
        Option("float32, big-endian", {NUMPY: "x = numpy.arange(1, 7, dtype='>f4').reshape(2, 3)"}),
    ),
)
LAYOUT = Axis(
    "layout",
    "Layout of x",
    (
        everywhere("contiguous", ""),
        everywhere("transposed", "x = x.T"),
        everywhere("every second column", "x = x[:, ::2]"),
        Option("columns reversed", {NUMPY: "x = x[:, ::-1]"}),
        everywhere("no rows", "x = x[:0]"),
        everywhere("one row, 1-dimensional", "x = x[0]"),
    ),
)
OUTPUT = Axis(
    "output",
    "Output y",
    (
        for_each(
            "new, like x",
            "y = numpy.empty(x.shape, dtype=x.dtype)",
            "y = torch.empty(x.shape, dtype=x.dtype)",
        ),
        Option("x itself", {NUMPY: "y = x", TORCH: "y = x"}),
        for_each(
            "one element longer",
            "y = numpy.empty((*x.shape[:-1], x.shape[-1] + 1), dtype=x.dtype)",
            "y = torch.empty(*x.shape[:-1], x.shape[-1] + 1, dtype=x.dtype)",
        ),
        for_each(
            "of dtype int64",
            "y = numpy.empty(x.shape, dtype='int64')",
            "y = torch.empty(x.shape, dtype=torch.int64)",
        ),
        for_each(
            "strided",
            "y = numpy.empty((*x.shape, 2), dtype=x.dtype)[..., 0]",
            "y = torch.empty(*x.shape, 2, dtype=x.dtype)[..., 0]",
        ),
        Option(
            "read-only",
            in_numpy("y = numpy.empty(x.shape, dtype=x.dtype)\ny.flags.writeable = False"),
        ),
        Option(
            "overlaps x",
            {
                NUMPY: "memory = numpy.zeros(x.size + 1, dtype=x.dtype)\n"
                "x, y = (memory[i : i + x.size].reshape(x.shape) for i in (0, 1))",
                TORCH: "memory = torch.zeros(x.numel() + 1, dtype=x.dtype)\n"
                "x, y = (memory[i : i + x.numel()].reshape(x.shape) for i in (0, 1))",
            },
        ),
        Option("on the device meta", {TORCH: "y = torch.empty(x.shape, device='meta')"}),
        everywhere("a list", "y = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]"),
        everywhere("None", "y = None"),
    ),
)
CALL = Axis(
    "call",
    "Call",
    (
        everywhere("factor 2.5", "mod.scale(x, y, 2.5)"),
        everywhere("factor 2", "mod.scale(x, y, 2)"),
        everywhere("factor '2.5'", "mod.scale(x, y, '2.5')"),
        everywhere("factor None", "mod.scale(x, y, None)"),
        for_each(
            "factor as a 0-dimensional tensor",
            "mod.scale(x, y, numpy.array(2.5))",
            "mod.scale(x, y, torch.tensor(2.5))",
        ),
        everywhere("no factor", "mod.scale(x, y)"),
        everywhere("one argument too many", "mod.scale(x, y, 2.5, 2.5)"),
        everywhere("factor by name", "mod.scale(x, y, factor=2.5)"),
        everywhere("a name that is not there", "mod.scales(x, y, 2.5)"),
    ),
)
AXES = (IMPORTS, DTYPE, LAYOUT, OUTPUT, CALL)


def program(choice: tuple[Option, ...]) -> str:
    """Return the lines of a call; empty if the framework lacks one of the options."""
    framework = choice[0].label
    if any(framework not in option.code for option in choice):
        return ""
    imports, *lines = (option.code[framework] for option in choice)
    return "\n".join([imports, LOAD, *(line for line in lines if line), SHOW])


def choices() -> Iterator[tuple[Option, ...]]:
    """Return all combinations of options; the last axis varies fastest."""
    return itertools.product(*(axis.options for axis in AXES))


def result_of(code: str) -> str:
    """Return a program's output, or the last lines of its traceback."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "call.py", "exec"), {"__name__": "__main__"})
    except Exception as error:
        said = "".join(traceback.format_exception_only(error)).strip()
        # A message contains the library's absolute path, which differs between machines;
        # whether Python adds a suggestion depends on its version.
        return said.replace(os.getcwd(), ".").partition(". Did you mean")[0]
    return printed.getvalue().strip()


def all_results() -> dict[str, list[Any]]:
    """Return the distinct results, and for each combination the index of its result, or None."""
    places: dict[str, int] = {}
    cells: list[int | None] = []
    for choice in choices():
        code = program(choice)
        cells.append(places.setdefault(result_of(code), len(places)) if code else None)
    return {"results": list(places), "cells": cells}


if __name__ == "__main__":
    print(json.dumps(all_results()))
