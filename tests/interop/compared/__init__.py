# SPDX-License-Identifier: Apache-2.0
"""Reads the public names of two installed packages, and compares them."""
