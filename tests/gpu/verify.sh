#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Verify the examples, the doctests and the tests of tensors on a GPU, on a machine without nox and without a network.
#
#   bash tests/gpu/verify.sh        writes receipts into docs/verification, and packs them into $OUT if set
#
# The active Python must have PyTorch, NumPy, pytest, scikit-build-core, nanobind and Sybil.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}

for module in torch numpy pytest nanobind scikit_build_core sybil; do
  if ! "$python" -c "import $module"; then
    echo "verify.sh: expected $python to have $module." >&2
    echo "Sybil is one small file. Where there is a network:" >&2
    echo "  $python -m pip download --no-deps -d wheels sybil==10.1.0" >&2
    echo "then, here:  export PYTHONPATH=\$(echo \$PWD/wheels/sybil-*.whl)" >&2
    exit 1
  fi
done
"$python" -c 'import torch; assert torch.cuda.is_available(), "PyTorch finds no GPU"'
"$python" -m pip list 2> /dev/null | grep -iE '^(torch|numpy|pytest|nanobind|scikit.build.core|cmake|ninja) '

site=$PWD/build/gpu-site
rm -rf "$site"
"$python" -m pip install -q --no-build-isolation --no-deps --no-index --target "$site" .
export PYTHONPATH="$site${PYTHONPATH:+:$PYTHONPATH}"
export PATH="$site/bin:$PATH"

status=0
REQUIRE_CUDA=1 "$python" docs/verify.py --device cuda --jobs 2 "$@" || status=$?
tests=tests/python
"$python" -m pytest -q -p no:cacheprovider \
  "$tests"/test_{cuda_tensors,cupy_adapter,framework_matrix,stream}.py || status=$?
if [ -n "${OUT:-}" ] && [ -d docs/verification ]; then
  tar -czf "$OUT/receipts.tgz" docs/verification
fi
exit "$status"
