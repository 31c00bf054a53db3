# SPDX-License-Identifier: Apache-2.0
"""Calls a kernel in two Dask workers, each in its own process: python dask_workers.py."""

# [cluster.begin]
import os
from pathlib import Path

import numpy as np
import tvm_ffi
from dask_kernels import Kernels, relu_squared
from distributed import Client, LocalCluster


def main() -> None:
    """Split arrays, process the parts on two workers, and compare with one local call."""
    library = Path("torch_op_cpu.so").resolve()  # for a real cluster: the path on the workers
    mod = tvm_ffi.load_module(library)
    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with local as cluster, Client(cluster) as client:
        client.register_plugin(Kernels(library))
        loaded = set()
        for shape in [(7, 33), (1, 1), (0, 4), (1025, 257)]:
            x = np.random.default_rng().standard_normal(shape, dtype="float32")
            parts = client.gather(client.map(relu_squared, np.array_split(x, 4), pure=False))
            y = np.empty_like(x)
            mod.relu_squared(x, y)
            assert np.array_equal(np.concatenate([part for part, _ in parts]), y)
            loaded |= {where for _, where in parts}
        assert len(loaded) == len(dict(loaded)) == 2  # two processes, a module in each
        assert os.getpid() not in dict(loaded)

        message = ""  # an error of the kernel reaches the client
        try:
            client.submit(relu_squared, np.arange(3)).result()
        except TypeError as error:
            message = str(error)
        assert message.startswith("relu_squared: x must be float32, float64, float16 or bfloat16")

        try:  # so does an error of the plugin
            client.register_plugin(Kernels(Path("missing.so").resolve()))
        except (FileNotFoundError, RuntimeError) as error:  # depending on the runtime
            message = str(error)
        assert "missing.so" in message
    print("dask_workers.py: two workers give the bits of one process")


if __name__ == "__main__":  # a worker process imports this file too
    main()
# [cluster.end]
