#!/bin/sh
# Runs the examples and looks at what they print.
set -eu
out=$("$1")
echo "$out"
echo "$out" | grep -q '^largest batch in 24 GiB: [1-9][0-9]* ('
for device in cpu cuda:0; do
  out=$("$2" "$device")
  echo "$out"
  echo "$out" | grep -q '^6\.[0-9]* billion parameters, 6\.[0-9]* billion with a gradient; logits \[4, 2048, 32000\]'
done
