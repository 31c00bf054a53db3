# SPDX-License-Identifier: Apache-2.0
# Bash runs this before each script of a traced run: its commands are logged with their lines.
# A process that outlives the run, or that got only some of its variables, finds no folder.
if [ -d "${TRACE_SHELL:-}" ]; then
  exec {BASH_XTRACEFD}>>"$TRACE_SHELL/$$-$RANDOM"
  printf 'in\v%s\n' "$PWD" >&"$BASH_XTRACEFD"
  PS4=$'+\v${BASH_SOURCE:-}\v${FUNCNAME:-} ${BASH_LINENO:-}\v${LINENO}\v'
  set -x
fi
