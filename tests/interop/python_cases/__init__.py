# SPDX-License-Identifier: Apache-2.0
"""Cases in which Python takes part: a function for each, its docstring the row's title.

Each gets the libraries that make values and those that look at them, which may be of two kinds.
Both packages have every name that is used here.
"""
