# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Each driver has a result, whatever it does to its process, and uses the named package."""

from pathlib import Path
from typing import Any

import pytest
import run_in_forks
from run_in_forks import run_job

DRIVERS = {
    "good": "import tvm_ffi; assert tvm_ffi.VERSION == 'old'",
    "bad": "import tvm_ffi; tvm_ffi.VERSION = 'new'; raise ValueError('scale: expected 1, got 2')",
    "crash": "import os; os.abort()",
    "lazy": "import os; os.write(2, b'python: undefined symbol: TVMFFINo\\n'); os._exit(127)",
    "slow": "import time; time.sleep(60)",
    "late": "import tvm_ffi; assert tvm_ffi.VERSION == 'old'",
}


@pytest.fixture
def job(tmp_path: Path) -> dict[str, Any]:
    """A job that runs toy drivers under a toy package."""
    (tmp_path / "package" / "tvm_ffi").mkdir(parents=True)
    (tmp_path / "package" / "tvm_ffi" / "__init__.py").write_text("VERSION = 'old'\n")
    for name, text in DRIVERS.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / f"load_{name}.py").write_text(text)
    return {"package": str(tmp_path / "package"), "libraries": str(tmp_path)}


@pytest.fixture(autouse=True)
def without_tvm_ffi(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget this process's tvm_ffi, so that forks import their own."""
    import sys

    for name in [name for name in sys.modules if name.partition(".")[0] == "tvm_ffi"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(run_in_forks, "LIMIT", 5)


def test_drivers(tmp_path: Path, job: dict[str, Any]) -> None:
    """A crash, an exit by the loader and a hang are results that do not affect the next driver."""
    assert run_job(tmp_path, {**job, "names": list(DRIVERS)}) == {
        "good": "ok",
        "bad": "ValueError: scale: expected 1, got 2",
        "crash": "ended by SIGABRT",
        "lazy": "ended the process with status 127: python: undefined symbol: TVMFFINo",
        "slow": "had no result after 5 seconds",
        "late": "ok",
    }


def test_statements(tmp_path: Path, job: dict[str, Any]) -> None:
    """A statement that raises an error has the error as its result."""
    statements = {"has": "import tvm_ffi; tvm_ffi.VERSION", "lacks": "import tvm_ffi.cpp"}
    found = run_job(tmp_path, {**job, "statements": statements})
    assert found["has"] == "ok"
    assert found["lacks"].startswith("ModuleNotFoundError: No module named 'tvm_ffi.cpp'")


@pytest.mark.parametrize(
    ("text", "result"),
    [("raise ImportError('no such Python')", "ImportError: no such Python")],
)
def test_package_that_cannot_be_imported(
    tmp_path: Path, job: dict[str, Any], text: str, result: str
) -> None:
    """Each driver's result is the import error."""
    (tmp_path / "package" / "tvm_ffi" / "__init__.py").write_text(text)
    names = ["good", "late"]
    assert run_job(tmp_path, {**job, "names": names}) == dict.fromkeys(names, result)


def test_another_package(tmp_path: Path, job: dict[str, Any]) -> None:
    """A package imported from elsewhere proves nothing about the named one."""
    (tmp_path / "empty").mkdir()
    inside = f"import sys; sys.path.insert(0, {job['package']!r}); import tvm_ffi"
    exec(inside, {})
    found = run_job(tmp_path, {**job, "package": str(tmp_path / "empty"), "names": ["good"]})
    assert "expected tvm_ffi of" in found["good"]
