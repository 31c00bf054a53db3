# SPDX-License-Identifier: Apache-2.0
"""The verification runner: it runs what the pages show and records what it saw."""
