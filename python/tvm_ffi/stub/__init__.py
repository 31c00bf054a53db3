# SPDX-License-Identifier: Apache-2.0
"""The command ``tvm-ffi-stubgen``: typed Python for what libraries say of themselves."""
