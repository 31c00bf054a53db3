# SPDX-License-Identifier: Apache-2.0
"""The options that the runner passes to every example's test."""


def pytest_addoption(parser):
    """Add `--device` and `--libraries`."""
    parser.addoption("--device", default="cpu")
    parser.addoption("--libraries", default="build/examples")
