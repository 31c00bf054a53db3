# SPDX-License-Identifier: Apache-2.0
"""The verification runner: it runs the code that pages show and records the results."""
