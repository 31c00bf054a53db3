# SPDX-License-Identifier: Apache-2.0
"""The command ``tvm-ffi-stubgen``: typed Python from the metadata of libraries."""
