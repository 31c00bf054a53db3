# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Which files a test depends on."""

from _verify.helpers import helpers_of
from _verify.layout import Layout


def test_helpers_are_found_through_conftests_and_imports(tmp_path):
    """An edited helper makes a receipt stale; files that nothing imports do not."""
    texts = {
        "conftest.py": "",
        "tests/conftest.py": "import options",
        "tests/options.py": "",
        "tests/kernels/test_one.py": "import os\ndef f():\n    from producer import Producer",
        "tests/kernels/producer.py": "from . import shapes\nimport made.deep",
        "tests/kernels/shapes.py": "import test_one",
        "tests/kernels/made/deep.py": "",
        "tests/kernels/unused.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = helpers_of(Layout.of(tmp_path), "tests/kernels/test_one.py")
    assert found == sorted(set(texts) - {"tests/kernels/test_one.py", "tests/kernels/unused.py"})
