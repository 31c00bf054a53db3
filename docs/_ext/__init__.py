# SPDX-License-Identifier: Apache-2.0
"""The Sphinx extensions of this site, one concept each."""
