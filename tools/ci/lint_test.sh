#!/usr/bin/env bash
# Runs fakeprop lint as a test of Bazel, which takes the findings as cases of its test.xml.
set -euo pipefail
fakeprop=$1
shift
exec "$fakeprop" lint "$@" --jobs 1 ${XML_OUTPUT_FILE:+--format "junit=$XML_OUTPUT_FILE"}
