# SPDX-License-Identifier: Apache-2.0
"""What the nox sessions need around them: an environment and tools."""
