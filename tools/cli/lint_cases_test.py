#!/usr/bin/env python3
"""Lints the models of testdata/broken and testdata/lint_rules, and compares with what was recorded beside them
(tools/dev/export/export_broken.py): the codes, the line of Python, the help line.

    lint_cases_test.py FAKEPROP
"""

import json
import pathlib
import subprocess
import sys
import unittest

FAKEPROP = pathlib.Path(sys.argv[1]).absolute()
TESTDATA = pathlib.Path("testdata").absolute()
MOST_WITHOUT_HELP = 2  # of the broken models; PyTorch's own words have to do there


def lint(graph, options):
    ran = subprocess.run([FAKEPROP, "lint", graph, "--no-config", "--format", "json", *options], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, check=False)
    if ran.returncode == 2:
        raise AssertionError(f"{graph.name}: {ran.stderr}")
    return json.loads(ran.stdout)["findings"]


def input_options(inputs):
    return [word for name, text in inputs.items() for word in ("--input", f"{name}={'[]' if text.startswith(':') else ''}{text}")]


class Cases(unittest.TestCase):
    def test_broken_models(self):
        """The one finding stands where eager PyTorch fails, and says how to mend it."""
        cases = json.loads((TESTDATA / "broken/expected.json").read_text())
        self.assertGreaterEqual(len(cases), 40)
        without_help = [name for name, case in cases.items() if not case["help"]]
        self.assertLessEqual(len(without_help), MOST_WITHOUT_HELP)
        for name, case in cases.items():
            with self.subTest(name):
                findings = lint(TESTDATA / f"broken/{name}.json", input_options(case["inputs"]))
                self.assertEqual(len(findings), 1, [f["message"] for f in findings])
                self.assertEqual(findings[0]["python"]["line"], case["line"], findings[0])
                if case["code"]:
                    self.assertEqual(findings[0]["code"], case["code"])
                helps = [note for note in findings[0].get("notes", []) if note.startswith("help: ")]
                self.assertIn(case["help"], "\n".join(helps), findings[0]["message"])

    def test_rules(self):
        """Each rule speaks of its bad model, at its line, and is silent on the good one."""
        for name, case in json.loads((TESTDATA / "lint_rules/expected.json").read_text()).items():
            with self.subTest(name):
                options = case["options"] + input_options(case.get("inputs", {}))
                graph = next((TESTDATA / "lint_rules").glob(f"{name}.*"))
                findings = lint(graph, options)
                self.assertEqual([f["code"] for f in findings], case["codes"], [f["message"] for f in findings])
                if case["lines"]:
                    self.assertIn(findings[0]["python"]["line"], case["lines"], findings[0])
                for finding in findings:
                    self.assertTrue(any(note.startswith("help: ") for note in finding["notes"]))

    def test_each_rule_has_both_cases(self):
        cases = json.loads((TESTDATA / "lint_rules/expected.json").read_text()).values()
        codes = {code for case in cases for code in case["codes"]}
        listed = subprocess.run([FAKEPROP, "explain"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        self.assertEqual(sorted(codes), [line.split()[0] for line in listed if line.startswith("FP8")])
        self.assertGreaterEqual(sum(not case["codes"] for case in cases), 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
