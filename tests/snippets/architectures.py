# SPDX-License-Identifier: Apache-2.0
"""Ask nvcc for which GPUs it can make machine code from the PTX of an architecture."""

import os
import subprocess
import tempfile
from pathlib import Path

# [accepts.begin]
folder = Path(tempfile.mkdtemp())
(folder / "one.cu").write_text("__global__ void one(float* y) { *y = 1; }\n")


def accepts(virtual, real):
    """Whether nvcc makes machine code for sm_{real} from the PTX of compute_{virtual}."""
    target = f"-gencode=arch=compute_{virtual},code=sm_{real}"
    command = [os.environ.get("NVCC", "nvcc"), "-cubin", target, "one.cu", "-o", "one.cubin"]
    return subprocess.run(command, cwd=folder, capture_output=True).returncode == 0


# [accepts.end]
# [ptx.begin]
assert accepts("80", "120")  # PTX is for its own architecture and later ones
assert accepts("100", "110")
assert not accepts("120", "110")
# [ptx.end]
# [specific.begin]
assert accepts("90a", "90a")
assert not accepts("90a", "100a")  # for one architecture
assert not accepts("100a", "103a")
assert accepts("100f", "103f")
assert not accepts("100f", "110f")  # for one family
assert not accepts("100f", "120f")
# [specific.end]
