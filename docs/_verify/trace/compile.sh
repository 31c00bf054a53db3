#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run the compiler of this name with the flags that gcov needs; see gcov.py. The parent folder gets
# gcov's input, the hashes of the sources, and the commands that failed.
here=${0%/*}
PATH=$(printf '%s' ":$PATH:" | sed "s|:$here:|:|g; s|^:||; s|:\$||")
if [ "${TRACE_COMPILED:-}" = no ]; then  # set by tests that inspect the compiled library
  exec "${0##*/}" "$@"
fi
for word; do
  case $word in
    *.c | *.cc | *.cpp | *.cxx) sha256sum "$word" >> "${here%/*}/$$.sources" 2> /dev/null ;;
  esac
done
"${0##*/}" "$@" -O0 --coverage -fprofile-abs-path -dumpdir "${here%/*}/$$-"
status=$?
if [ $status -ne 0 ]; then
  printf '%s\n' "$PWD" "$@" > "${here%/*}/$$.refused"
fi
exit $status
