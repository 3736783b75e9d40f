#!/bin/sh
# Runs the examples and looks at what they print; of most it stands in expected/
set -eu
expected=$(dirname "$0")/expected
model=graphs/resnet_small/graph.json
symbolic=testdata/symbolic/skip_off_by_one
failed=0
for program; do
  name=$(basename "$program")
  case $name in
    largest_batch) "$program" | tee /dev/stderr | grep -q '^largest batch in 24 GiB: [1-9][0-9]* (' || failed=1 ;;
    seven_billion)
      for device in cpu cuda:0; do
        "$program" "$device" | tee /dev/stderr |
          grep -q '^6\.[0-9]* billion parameters, 6\.[0-9]* billion with a gradient; logits \[4, 2048, 32000\]' || failed=1
      done ;;
    graphs | propagate) "$program" "$model" | diff "$expected/$name" - || failed=1 ;;
    symbolic_graph) "$program" $symbolic/graph.json $symbolic/inputs.json | diff "$expected/$name" - || failed=1 ;;
    *) "$program" | diff "$expected/$name" - || failed=1 ;;
  esac
done
exit $failed
