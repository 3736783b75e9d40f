#!/usr/bin/env python3
"""Prints `N passed, N failed` for a run of `bazel test --build_event_json_file=EVENTS`; fails where none ran or one failed.

Test cases are what each target's test.xml lists. A target that failed and lists no failed case (it crashed, timed out or
did not build) counts as one that failed.
"""

import collections
import json
import sys
import urllib.parse
import xml.etree.ElementTree

Counts = collections.namedtuple("Counts", "passed failed skipped")


def add(a, b):
    return Counts(*map(sum, zip(a, b)))


def cases_of(path):
    """The counts of one test.xml."""
    try:
        cases = list(xml.etree.ElementTree.parse(path).iter("testcase"))
    except (OSError, xml.etree.ElementTree.ParseError):
        return Counts(0, 0, 0)
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None or case.get("status") == "notrun" for case in cases)
    return Counts(len(cases) - failed - skipped, failed, skipped)


def counts_of_target(results, passed):
    """The counts of a target, from the results of its shards; those of its last attempt."""
    last = {}
    for result in results:
        key = (result["id"]["testResult"].get("run"), result["id"]["testResult"].get("shard"))
        last[key] = result["testResult"]
    counts = Counts(0, 0, 0)
    for result in last.values():
        for output in result.get("testActionOutput", []):
            if output["name"] == "test.xml":
                counts = add(counts, cases_of(urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path)))
    return counts if passed or counts.failed else counts._replace(failed=1)


def count(events):
    tests, results, passed = [], collections.defaultdict(list), {}
    for event in events:
        id_ = event["id"]
        if "targetConfigured" in id_ and "testSize" in event.get("configured", {}):
            tests.append(id_["targetConfigured"]["label"])
        elif "testResult" in id_ and "testResult" in event:
            results[id_["testResult"]["label"]].append(event)
        elif "testSummary" in id_ and "testSummary" in event:
            passed[id_["testSummary"]["label"]] = event["testSummary"]["overallStatus"] in ("PASSED", "FLAKY")
    total = Counts(0, 0, 0)
    for label in tests:
        total = add(total, counts_of_target(results[label], passed.get(label, False)))
    return total


def main():
    with open(sys.argv[1]) as file:
        counts = count(json.loads(line) for line in file)
    if counts.passed + counts.failed == 0:
        print("no test ran", file=sys.stderr)
        counts = counts._replace(failed=1)
    skipped = f", {counts.skipped} skipped" if counts.skipped else ""
    print(f"{counts.passed} passed, {counts.failed} failed{skipped}")
    return 1 if counts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
