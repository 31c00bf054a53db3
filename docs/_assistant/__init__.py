# SPDX-License-Identifier: Apache-2.0
"""The server that answers coding assistants from a built site."""
