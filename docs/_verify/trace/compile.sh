#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stands for the compiler of the name that it is called by, and adds what gcov needs; see gcov.py.
# What gcov reads, what the sources were, and which commands failed goes into the folder above the
# one that it is called in.
here=${0%/*}
PATH=$(printf '%s' ":$PATH:" | sed "s|:$here:|:|g; s|^:||; s|:\$||")
if [ "${TRACE_COMPILED:-}" = no ]; then  # set by tests that look at what a compiler makes
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
