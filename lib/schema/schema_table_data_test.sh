#!/usr/bin/env bash
# schema_table_data.cc is what LibTorch says. With --update as the last argument it is written anew.
#   schema_table_data_test.sh PRINT_SCHEMAS TABLE [--update]
set -euo pipefail

print_schemas=$1 table=$2
if [ "${3:-}" = --update ]; then
  "$print_schemas" >"$BUILD_WORKSPACE_DIRECTORY/$table"
  exit
fi
diff -u "$table" <("$print_schemas") || {
  echo "the table is not LibTorch's: bazel run //lib/schema:schema_table_data_test -- --update"
  exit 1
}
