# SPDX-License-Identifier: Apache-2.0
"""The command ``tvm-ffi new``, which makes a kernel library's project from a template."""
