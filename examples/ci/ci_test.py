#!/usr/bin/env python3
"""Runs the pieces of this folder as their programs would: on graphs that are well, and after a mistake.

    ci_test.py FAKEPROP GITHUB_ACTION
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

FAKEPROP, ACTION = (pathlib.Path(path).absolute() for path in sys.argv[1:3])
HERE = pathlib.Path("examples/ci").absolute()
ROOT = HERE.parents[1]


class Pieces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.repository = pathlib.Path(folder.name) / "repository"
        shutil.copytree(HERE, self.repository)
        self.environment = os.environ | {"PATH": f"{FAKEPROP.parent}:{os.environ['PATH']}"}

    def make_a_mistake(self):
        """The hidden layer takes 20 features in the place of 16: the call fails, and the weight differs from the golden file."""
        graph = self.repository / "exported/classifier.json"
        text = graph.read_text()
        self.assertIn('{"as_int": 16}', re.sub(r"\s*:\s*", ": ", text))
        document = json.loads(text)
        weight = document["graph_module"]["graph"]["tensor_values"]["p_hidden_weight"]
        weight["sizes"][1]["as_int"] = 20
        weight["strides"][0]["as_int"] = 20
        graph.write_text(json.dumps(document))

    def run_in_repository(self, command, **variables):
        return subprocess.run(["bash", "-c", command], cwd=self.repository, env=self.environment | variables, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def check(self, command, good, bad, **variables):
        """`good` and `bad` look at the result, which is a success at first, and after the mistake is none."""
        ran = self.run_in_repository(command, **variables)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        good(ran.stdout)
        self.make_a_mistake()
        ran = self.run_in_repository(command, **variables)
        self.assertEqual(ran.returncode, 1, ran.stdout)
        self.assertIn("FP3001", ran.stdout)
        bad(ran.stdout)

    def read(self, name):
        return (self.repository / name).read_text()

    def script_of(self, name, pattern):
        found = re.search(pattern, self.read(name), re.MULTILINE)
        self.assertTrue(found, name)
        return found[1]

    def test_gitlab(self):
        command = self.script_of(".gitlab-ci.yml", r"^  script:\n    - (.*)$")
        for report in ("gl-code-quality.json", "fakeprop.xml"):
            self.assertIn(report, self.script_of(".gitlab-ci.yml", r"reports:\n((?:      .*\n?)+)"))

        def bad(_):
            self.assertEqual(json.loads(self.read("gl-code-quality.json"))[0]["location"]["path"], "model.py")
            self.assertEqual(len(list(xml.etree.ElementTree.fromstring(self.read("fakeprop.xml")).iter("failure"))), 2)
        self.check(command, lambda _: self.assertEqual(json.loads(self.read("gl-code-quality.json")), []), bad)

    def test_jenkins(self):
        command = self.script_of("Jenkinsfile", r"^ *sh '(.*)'$")

        def bad(_):
            self.assertEqual(json.loads(self.read("fakeprop.sarif"))["runs"][0]["results"][0]["ruleId"], "FP3001")
        self.check(command, lambda _: self.assertIn("testcase", self.read("fakeprop.xml")), bad)

    def test_github(self):
        """The script of the composite action, with the files that GitHub gives it."""
        action = (ROOT / "action.yml").read_text()
        self.assertIn("tools/ci/github_action.sh", action)
        variables = {name: str(self.repository / name.lower()) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        pathlib.Path(variables["GITHUB_STEP_SUMMARY"]).write_text("what was there\n")

        def bad(printed):
            self.assertRegex(printed, r"(?m)^::error file=model.py,line=\d+,title=FP3001")
            self.assertTrue(self.read("github_step_summary").startswith("what was there\n## fakeprop lint: no findings"))
            self.assertIn("2 findings in 1 graph", self.read("github_step_summary"))
            self.assertEqual(self.read("github_output").splitlines()[-2:], ["sarif=fakeprop.sarif", "status=1"])
        self.check(str(ACTION), lambda printed: self.assertEqual(printed, ""), bad, **variables)

    def test_pre_commit(self):
        """What pre-commit runs: the entry of the hook, with the files that its configuration selects."""
        hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
        self.assertIn(re.search(r"- id: (.*)", self.read(".pre-commit-config.yaml"))[1], hook)
        entry = re.search(r"^  entry: (.*)$", hook, re.MULTILINE)[1]
        files = re.compile(self.script_of(".pre-commit-config.yaml", r"^ *files: (.*)$"))
        names = sorted(str(path.relative_to(self.repository)) for path in self.repository.rglob("*") if path.is_file())
        selected = [name for name in names if files.search(name)]
        self.assertEqual(selected, ["exported/classifier.json"])
        self.check(f"{entry} {' '.join(selected)}", lambda _: None, lambda _: None)

    def test_vs_code(self):
        """The matcher finds the place, the severity, the code and the message in the lines of the log."""
        task = json.loads(self.read(".vscode/tasks.json"))["tasks"][0]
        first, second = (re.compile(pattern["regexp"]) for pattern in task["problemMatcher"]["pattern"])

        def bad(printed):
            lines = printed.splitlines()
            problems = [(a, b) for a, b in zip(map(first.match, lines), map(second.match, lines[1:])) if a and b]
            self.assertEqual([(a[1], a[2], b[1]) for a, b in problems], [("error", "FP3001", "model.py")])
            self.assertIn("self.hidden(x)", self.read("model.py").splitlines()[int(problems[0][1][2]) - 1])
        self.check(task["command"], lambda _: None, bad)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
