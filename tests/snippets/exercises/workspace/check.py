# SPDX-License-Identifier: Apache-2.0
"""A workspace that another kernel has used before."""

import numpy as np
from arrays import Output, random_integers, replayed


def check(mod):
    """The counts do not depend on the workspace's contents; nothing past its end is written."""
    for n, bins in ((5, 3), (0, 3), (5, 0), (10_001, 300)):
        for before in (0, 1000):
            x = random_integers(-2, bins + 2, n)
            counts = Output(bins, "int64")
            size = mod.count_values_workspace_size(counts.array)
            workspace = Output(size, "uint8")
            workspace.array.view("int32")[:] = before
            mod.count_values(x, counts.array, workspace.array)
            expected = np.array([(x == bin).sum() for bin in range(bins)])
            holds = f"a workspace that holds the number {before} everywhere"
            counts.compare(f"count_values for x of shape ({n},) and {holds}", expected)
            workspace.compare("count_values", workspace.array)
            workspace.array.view("int32")[:] = before
            outputs = {"counts": counts.array, "workspace": workspace.array}
            replayed(mod, "count_values", x, outputs)
            expected = np.array([(x == bin).sum() for bin in range(bins)])
            counts.compare(f"count_values, replayed for x of shape ({n},)", expected)
