#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Verify the examples, the pages and the runtime on a GPU, on a machine without nox and without a network.
#
#   bash tests/gpu/verify.sh [STAGE...] [OPTION OF docs/verify.py...]
#
# A stage takes a few minutes; all of them run, one after the other, if none is named:
#
#   examples    compile and run examples, pages and shown files; writes receipts into docs/verification
#   tests       the tests of tensors, streams and frameworks
#   bench       the kernels beside a copy and beside PyTorch; writes docs/benchmarks/kernels.json
#   sanitizers  the examples' drivers under compute-sanitizer's memcheck, racecheck and initcheck
#   slow        the examples' tests with those beyond 2^31 elements
#
# Receipts and records are packed into $OUT if that is set. The active Python must have PyTorch, NumPy,
# pytest, hypothesis, scikit-build-core and nanobind; for the stage examples Sybil too.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}

all=(examples tests bench sanitizers slow)
stages=()
options=()
while [ $# -gt 0 ]; do
  case " ${all[*]} " in
    *" $1 "*) stages+=("$1") ;;
    *) options+=("$1") ;;
  esac
  shift
done
[ ${#stages[@]} -gt 0 ] || stages=("${all[@]}")

needed=(torch numpy pytest hypothesis nanobind scikit_build_core)
case " ${stages[*]} " in *" examples "*) needed+=(sybil) ;; esac
for module in "${needed[@]}"; do
  if ! "$python" -c "import $module"; then
    echo "verify.sh: expected $python to have $module." >&2
    echo "Sybil is one small file. Where there is a network:" >&2
    echo "  $python -m pip download --no-deps -d wheels sybil==10.1.0" >&2
    echo "then, here:  export PYTHONPATH=\$(echo \$PWD/wheels/sybil-*.whl)" >&2
    exit 1
  fi
done
"$python" -c 'import torch; assert torch.cuda.is_available(), "PyTorch finds no GPU"'
"$python" -m pip list 2> /dev/null | grep -iE '^(torch|numpy|pytest|nanobind|scikit.build.core|cmake|ninja|jax|cupy[^ ]*) ' || true

# The package is built once for all stages, and again when its sources have changed.
site=$PWD/build/gpu-site
made_of=$(PYTHONPATH=docs "$python" -c '
from pathlib import Path
from _verify.closure import digest, tree_digest
print(*(tree_digest(Path(name)) for name in ("include", "src", "python")), digest(Path("CMakeLists.txt")))')
if [ "$(cat "$site/made_of" 2> /dev/null)" != "$made_of" ]; then
  rm -rf "$site"
  "$python" -m pip install -q --no-build-isolation --no-deps --no-index --target "$site" .
  echo "$made_of" > "$site/made_of"
fi
export PYTHONPATH="$site${PYTHONPATH:+:$PYTHONPATH}"
export PATH="$site/bin:$PATH"
export PYTHONDONTWRITEBYTECODE=1
export XLA_PYTHON_CLIENT_PREALLOCATE=false # or JAX takes three quarters of the GPU's memory for itself

# A few at once: they share the GPU, and nvcc is what takes the time.
jobs=$(($(nproc) < 8 ? $(nproc) : 8))

examples() {
  REQUIRE_CUDA=1 "$python" docs/verify.py --device cuda --jobs "$jobs" "${options[@]}"
}

libraries() { # those of the stage examples, or new ones
  if ! ls build/examples/*_cuda.so > /dev/null 2>&1; then
    echo "the stage examples builds the libraries; it has not run" >&2
    return 1
  fi
}

tests() {
  "$python" -m pytest -q -p no:cacheprovider \
    tests/python/test_{cuda_tensors,cupy_adapter,framework_matrix,stream}.py
}

bench() {
  "$python" tests/benchmarks/kernels.py --device cuda
}

sanitizers() {
  libraries && "$python" tests/gpu/sanitizers.py
}

slow() { # one process for each example; few at once, since each takes gigabytes
  libraries && printf '%s\n' tests/examples/test_*.py \
    | RUN_SLOW=1 xargs -P 4 -I{} "$python" -m pytest -q -rs -p no:cacheprovider {} --device cuda --libraries build/examples
}

status=0
failed=
for stage in "${stages[@]}"; do
  echo "== $stage"
  begun=$SECONDS
  "$stage" || status=1 failed+=" $stage"
  echo "== $stage took $((SECONDS - begun)) s"
done
if [ -n "${OUT:-}" ]; then
  tar -czf "$OUT/verified.tgz" $(ls -d docs/verification docs/benchmarks/kernels.json 2> /dev/null)
fi
echo "stages: ${stages[*]}; failed:${failed:- none}"
exit "$status"
