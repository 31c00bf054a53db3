#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Verify the examples and doctests on a GPU, on a machine without nox and without a network.
#
#   bash tests/gpu/verify.sh        writes receipts into docs/verification, and into $OUT if set
#
# The active Python must have PyTorch, NumPy, pytest, scikit-build-core, nanobind and Sybil.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}

if ! "$python" -c 'import sybil' 2> /dev/null; then
  echo "verify.sh: Sybil cannot be imported. Where there is a network:" >&2
  echo "  $python -m pip download --no-deps -d wheels sybil==10.1.0" >&2
  echo "then, here:  export PYTHONPATH=\$(echo \$PWD/wheels/sybil-*.whl)" >&2
  exit 1
fi

site=$PWD/build/gpu-site
rm -rf "$site"
"$python" -m pip install -q --no-build-isolation --no-deps --no-index --target "$site" .
export PYTHONPATH="$site${PYTHONPATH:+:$PYTHONPATH}"
export PATH="$site/bin:$PATH"

status=0
REQUIRE_CUDA=1 "$python" docs/verify.py --device cuda "$@" || status=$?
if [ -n "${OUT:-}" ]; then
  cp docs/verification/*.json "$OUT"/ 2> /dev/null || true
fi
exit "$status"
