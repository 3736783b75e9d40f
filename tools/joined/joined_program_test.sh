#!/usr/bin/env bash
# The program from joined sources, which tools/run builds first, prints what the program of the libraries prints.
#   joined_program_test.sh JOINED_PROGRAM PROGRAM GRAPH
set -euo pipefail

expected=$("$2" show "$3")
[ -n "$expected" ]
diff <(printf '%s\n' "$expected") <("$1" show "$3")
