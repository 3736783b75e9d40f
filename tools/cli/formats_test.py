#!/usr/bin/env python3
"""Reads what `fakeprop lint --format` writes with the parsers and schemas of those who read it: SARIF by its schema, JUnit by
an XML parser, the others by their rules.

    formats_test.py FAKEPROP SARIF_SCHEMA
"""

import collections
import copy
import functools
import json
import operator
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import jsonschema

from fast_schema import FastSchema

FORMATS = ("json", "sarif", "junit", "github", "gitlab", "markdown")
FAKEPROP, SCHEMA = (pathlib.Path(path).absolute() for path in sys.argv[1:3])
MANY = 1000  # results for which jsonschema takes seconds
GRAPHS = pathlib.Path("testdata/cli/graphs").absolute()


def failing_graph(count, first_line=10):
    """An FX graph in which each of `count` nodes fails, at lines of its own."""
    inputs = [{"name": name, "op": "placeholder", "target": name} for name in "xy"]
    trace = '  File "model.py", line {}, in forward\n    a{} = x @ y'
    calls = [{"name": f"mm_{i}", "op": "call_function", "target": "torch.ops.aten.mm.default", "args": [{"node": "x"}, {"node": "y"}],
              "meta": {"stack_trace": trace.format(first_line + i, i)}} for i in range(count)]
    output = {"name": "output", "op": "output", "target": "output", "args": [{"tuple": []}]}
    return {"format": "fakeprop.fx/1", "nodes": inputs + calls + [output]}


def paths(document):
    """The path of each part of a document."""
    items = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, item in items:
        yield (key,)
        yield from ((key, *more) for more in paths(item))


class Formats(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))))

    def enterContext(self, manager):  # Python 3.10 has none
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def lint(self, *arguments):
        """Lints with all formats at once. Returns the exit status and what each format says."""
        formats = [word for name in FORMATS for word in ("--format", f"{name}=out.{name}")]
        ran = subprocess.run([FAKEPROP, "lint", *arguments, *formats], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, check=False)
        files = {name: self.folder / f"out.{name}" for name in FORMATS}
        return ran, {name: path.read_text() for name, path in files.items() if path.exists()}

    def lint_failing(self, count, first_line=10):
        (self.folder / "failing.json").write_text(json.dumps(failing_graph(count, first_line)))
        ran, reports = self.lint("failing.json", "--input", "x=2x7:float32", "--input", "y=8x3:float32")
        self.assertEqual(ran.returncode, 1, ran.stderr)
        return reports

    def check_sarif(self, text):
        sarif, schema = json.loads(text), json.loads(SCHEMA.read_text())
        if len(sarif["runs"][0]["results"]) < MANY:
            jsonschema.Draft4Validator(schema).validate(sarif)
        else:
            self.assertTrue(FastSchema(schema).check(sarif))
        return sarif["runs"][0]

    def test_the_fast_check_is_as_strict(self):
        """Each part of a report in turn is another value, or is not there: jsonschema and the check for long reports agree."""
        slow, fast = jsonschema.Draft4Validator(json.loads(SCHEMA.read_text())), FastSchema(json.loads(SCHEMA.read_text()))
        report = json.loads(self.lint_failing(2)["sarif"])
        refused = 0
        for path in paths(report):
            for value in (None, -3, "?", [], {}):
                changed = copy.deepcopy(report)
                parent = functools.reduce(operator.getitem, path[:-1], changed)
                parent[path[-1]] = value
                if value is None:
                    del parent[path[-1]]
                self.assertEqual(fast.check(changed), slow.is_valid(changed), (path, value))
                refused += not fast.check(changed)
        self.assertGreater(refused, 100)

    def test_one_mistake(self):
        ran, reports = self.lint(str(GRAPHS / "mismatch.json"))
        self.assertEqual(ran.returncode, 1)
        self.assertTrue(ran.stdout.startswith("error[FP3001]: "), "text goes to stdout, where nothing else does")
        run = self.check_sarif(reports["sarif"])
        self.assertEqual([(r["ruleId"], r["level"]) for r in run["results"]], [("FP3001", "error")])
        place = run["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual((place["artifactLocation"]["uri"], place["region"]["startLine"]), ("model.py", 12))
        suites = xml.etree.ElementTree.fromstring(reports["junit"])
        self.assertEqual([f.get("type") for f in suites.iter("failure")], ["ShapeMismatch"])
        self.assertRegex(reports["github"], r"^::error file=model.py,line=12,title=FP3001 ShapeMismatch::(mm: )?mat1 and mat2")
        self.assertEqual(json.loads(reports["gitlab"])[0]["location"], {"path": "model.py", "lines": {"begin": 12}})
        self.assertTrue(reports["markdown"].startswith("## fakeprop lint: 1 finding in 1 graph\n"))

    def test_nothing_found(self):
        ran, reports = self.lint(str(GRAPHS / "small.json"))
        self.assertEqual(ran.returncode, 0)
        self.assertEqual(self.check_sarif(reports["sarif"])["results"], [])
        self.assertEqual([case.get("name") for case in xml.etree.ElementTree.fromstring(reports["junit"]).iter("testcase")], ["no findings"])
        self.assertEqual((reports["github"], json.loads(reports["gitlab"])), ("", []))

    def test_what_is_not_linted(self):
        ran, reports = self.lint(str(GRAPHS / "cut_off.json"), str(GRAPHS / "small.json"))
        self.assertEqual(ran.returncode, 2)
        run = self.check_sarif(reports["sarif"])
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        suites = xml.etree.ElementTree.fromstring(reports["junit"])
        self.assertEqual((suites.get("tests"), suites.get("errors")), ("2", "1"))
        self.assertEqual(json.loads(reports["gitlab"])[0]["severity"], "blocker")
        self.assertIn("::error file=", reports["github"])
        self.assertIn("not linted", reports["markdown"])

    def test_names_of_findings_survive_moved_lines(self):
        def fingerprints(reports):
            sarif = [r["partialFingerprints"]["primaryLocationLineHash"] for r in self.check_sarif(reports["sarif"])["results"]]
            self.assertEqual(sarif, [issue["fingerprint"] for issue in json.loads(reports["gitlab"])])
            return sarif
        names = fingerprints(self.lint_failing(50))
        self.assertEqual(names, fingerprints(self.lint_failing(50, first_line=1000)))
        self.assertEqual(len(set(names)), 50)

    def test_limits_with_30000_findings(self):
        reports = self.lint_failing(30_000)
        self.assertEqual(len(json.loads(reports["json"])["findings"]), 30_000)
        run = self.check_sarif(reports["sarif"])
        self.assertEqual(len(run["results"]), 5_000)
        self.assertIn("5000 results of 30000 findings", json.dumps(run["invocations"]))
        suites = xml.etree.ElementTree.fromstring(reports["junit"])
        self.assertEqual(len(list(suites.iter("testcase"))), 20_001)
        objects = sum(1 + len(element.attrib) for element in suites.iter())
        self.assertLess(objects, 250_000, "GitLab refuses more")
        self.assertLess(len(reports["junit"]), 30 << 20)
        kinds = collections.Counter(re.findall(r"^::(\w+) ", reports["github"], re.MULTILINE))
        self.assertEqual(kinds, {"error": 10, "notice": 1})
        issues = json.loads(reports["gitlab"])
        self.assertEqual(len({issue["fingerprint"] for issue in issues}), 30_000)
        for issue in issues:
            self.assertLessEqual({"description", "check_name", "fingerprint", "severity", "location"}, set(issue))
        self.assertLess(len(reports["markdown"].encode()), 1 << 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
