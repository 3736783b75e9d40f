#!/usr/bin/env bash
# A step of GitHub Actions (action.yml): annotations in the log, SARIF in a file, a page in the summary of the job.
# FAKEPROP is the program, GRAPHS and OPTIONS its arguments (words with spaces between), SARIF the file.
set -uo pipefail

summary=$(mktemp)
trap 'rm -f "$summary"' EXIT

# shellcheck disable=SC2086
"${FAKEPROP:-fakeprop}" lint ${GRAPHS:-} ${OPTIONS:-} \
  --format github --format "sarif=${SARIF:-fakeprop.sarif}" --format "markdown=$summary"
status=$?

[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$summary" >>"$GITHUB_STEP_SUMMARY"
[ -z "${GITHUB_OUTPUT:-}" ] || printf 'sarif=%s\nstatus=%s\n' "${SARIF:-fakeprop.sarif}" "$status" >>"$GITHUB_OUTPUT"
exit "$status"
