#!/usr/bin/env python3
"""What people give by mistake: the wrong file, specs that do not fit, command lines with typos. Each is told in at most
six lines that say what is wrong, where, and what to do.

    mistakes_test.py FAKEPROP
"""

import json
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

FAKEPROP = pathlib.Path(sys.argv[1]).absolute()
GRAPHS = pathlib.Path("testdata/cli/graphs").absolute()
PT2 = pathlib.Path("graphs/kinds/pt2/graph.pt2").absolute()
SCRIPT = pathlib.Path("graphs/kinds/torchscript/graph.pt").absolute()
MOST_LINES = 6
SMALL = (GRAPHS / "small.json").read_text()  # its inputs are x [2, 7] and y [7, 3]


# Each: the command line, what is wrong, what to do. tools/dev/robustness/wrong_files_test.py has more files.
FILES = [
    ("show cut_off.json", "is the file cut off?", "copy or download the file again"),
    ("show cut_off.pt2", "is the file cut off?", "copy or download the file again"),
    ("show annotations.json", "these are annotations, which fakeprop writes", "`fakeprop refine`"),
    ("show spec.yaml", "it starts with `inputs:`", "torch.export.save"),
    ("refine pt2.pt2", "a zip archive, as graphs are", "`fakeprop GRAPH -o FILE` writes annotations"),
    ("refine small.json", "this is a graph of torch.export, not annotations", "`fakeprop GRAPH -o FILE` writes annotations"),
    ("lint small.json --golden pt2.pt2", "a zip archive, as graphs are", "`fakeprop GRAPH -o FILE` writes"),
    ("lint small.json --golden pointer.json", "a git-lfs pointer", "git lfs pull"),
    ("show small.json --inputs small.json", "this is a graph of torch.export, not an input spec", "`fakeprop inputs GRAPH`"),
    ("show small.json --inputs annotations.json", "these are annotations, not an input spec", "`fakeprop inputs GRAPH`"),
    ("show small.json --inputs spec.yaml", "it starts with `inputs:`", "`fakeprop inputs GRAPH`"),
    ("show small.json --op-rules small.json", "a file of rules begins with the line `fakeprop.op_rules/1`", ""),
    ("show settings.toml", "it starts with `[tool.fakeprop]`", "torch.export.save"),
    ("show cut_off.json.xz", "the xz data is cut off", "copy or download the file again"),
    ("show .", "is a directory", "`fakeprop lint` goes through folders"),
    ("show smal.json", "cannot read `smal.json`", "did you mean `small.json`?"),
    ("show small.pt2", "cannot read `small.pt2`", "did you mean `small.json`?"),
    ("show small.json --inputs anotations.json", "cannot read `anotations.json`", "did you mean `annotations.json`?"),
]


def spec(inputs, **fields):
    return json.dumps({"format": "fakeprop.inputs/1", **fields, "inputs": inputs})


# Each: the spec, its place that the message names, what is wrong, what to do (empty where the first says it).
SPECS = [
    (spec({"x": {"shape": ["5.5", 7]}}), "/inputs/x/shape/0", "`5.5` is no size: a whole number", ""),
    (spec({"x": {"shape": ["9" * 20, 7]}}), "/inputs/x/shape/0", "does not fit into 64 bits", ""),
    (json.dumps({"inputs": {}}), "", "the field `format` is missing", 'write `"format": "fakeprop.inputs/1"`'),
    (spec({"X": {"shape": [2, 7]}}), "/inputs/X", "no input `X`: its inputs are `x`, `y`", "did you mean `x`?"),
    (spec({"x": {"shape": "2x7"}}), "/inputs/x/shape", "expected an array", "a list: [2, 7]"),
    (spec({"x": [2, 7]}), "/inputs/x", "expected an object", "an input is such as"),
    (spec({"x": {"size": [2, 7]}}), "/inputs/x/size", "unknown field `size`", "did you mean `shape`?"),
    (spec({"x": {"shape": [-1, 7]}}), "/inputs/x/shape/0", "is 0 or more but is -1", "name a symbol"),
    (spec({"x": {"shape": [None, 7]}}), "/inputs/x/shape/0", "found null", "name a symbol"),
    (spec({"x": {"shape": ["batch", 7]}}), "/inputs/x/shape/0", "`batch` names a symbol", '"symbols"'),
    (spec({"x": {"shape": ["btach", 7]}}, symbols={"batch": {}}), "/inputs/x/shape/0", "`btach`", "did you mean `batch`?"),
    (spec({"x": {"dtype": "long"}}), "/inputs/x/dtype", "unknown dtype `long`", "did you mean `int64`?"),
    (spec({"x": {"dtype": "float"}}), "/inputs/x/dtype", "unknown dtype `float`", "did you mean `float32`?"),
    (spec({"x": {"device": "gpu"}}), "/inputs/x/device", "unknown device `gpu`", "did you mean `cuda`?"),
    (spec({}, x={"shape": [2, 7]}), "/x", "unknown field `x`", "inputs stand in `inputs`"),
    (spec({}, symbols={"n": [1, 8]}), "/symbols/n", "expected an object", '{"min": 1, "max": 8}'),
    (spec({}, symbols={"n": {"min": 8, "max": 2}}), "/symbols/n", "from 8 to 2, has no size in it", ""),
    (spec({}, symbols={"n": {"minimum": 8}}), "/symbols/n/minimum", "unknown field `minimum`", "did you mean `min`?"),
    (spec([{}, {}, {}]), "/inputs/2", "the graph has 2 inputs: `x`, `y`", ""),
    (spec({"x": {"shape": [2, 7], "stride": [7]}}), "/inputs/x/stride", "1 strides for 2 dimensions", ""),
    (spec({"x": {"shape": ["n", 7]}}, symbols={"n": {}}, assume=["n = 4"]), "/assume/0", "`n = 4` is no condition", "`==`"),
    (spec({"x": {"shape": ["n", 7]}}, symbols={"n": {"max": 4}}, assume=["n > 4"]), "/assume/0", "`n > 4` cannot hold", ""),
    (spec({}).replace("2", "3,").replace("1", "7"), "/format", "this fakeprop reads `fakeprop.inputs/1`", "`fakeprop inputs GRAPH`"),
    ('{"format": "fakeprop.inputs/1", "inputs": {},}', "byte 45", "the JSON is malformed", "`fakeprop inputs GRAPH`"),
    ("{'format': 'fakeprop.inputs/1'}", "byte 1", "the JSON is malformed", "`fakeprop inputs GRAPH`"),
    ("", "", "the file is empty", "`fakeprop inputs GRAPH`"),
]

# Each: the command line, what is wrong, what to do.
LINES = [
    ("shwo small.json", "unknown command `shwo`", "did you mean `show`?"),
    ("help", "unknown command `help`", "did you mean `fakeprop --help`?"),
    ("show small.json --colour always", "unknown option `--colour`", "did you mean `--color`?"),
    ("lint small.json --json", "`--json` goes with `--version`", "`--format json`"),
    ("show small.json --csv", "unknown option `--csv`", "did you mean `--format csv`?"),
    ("show small.json --recorded", "unknown option `--recorded`", "`fakeprop lint` has it"),
    ("show small.json --column node", "unknown option `--column`", "did you mean `--columns`?"),
    ("inputs small.json --input x=3", "unknown option `--input`", "`show`"),
    ("ops -o x", "unknown option `-o`", "`show`"),
    ("explain a b", "unexpected argument `b`", "usage: fakeprop explain [CODE]"),
    ("config x", "unexpected argument `x`", "usage: fakeprop config [--config FILE]"),
    ("man x", "unexpected argument `x`", "usage: fakeprop man"),
    ("show", "no GRAPH is given", "usage: fakeprop show GRAPH"),
    ("memory small.json --stage 3", "`--stage` needs `--fsdp`", ""),
    ("memory small.json --units zz", "`--units` needs `--fsdp`", ""),
    ("memory small.json --column zz", "`--column` needs `--tensor-parallel`", ""),
    ("memory small.json --row zz", "`--row` needs `--tensor-parallel`", ""),
    ("memory small.json --sequence zz", "`--sequence` needs `--tensor-parallel`", ""),
    ("memory small.json --micro-batches 2", "`--micro-batches` needs `--pipeline`", ""),
    ("memory small.json --optimizer-form foreach", "`--optimizer-form` needs `--optimizer`", ""),
    ("show small.json --module blok", "no module of the graph fits `blok`", "did you mean `block`?"),
    ("show small.json --tree --module blok", "no module of the graph fits `blok`", "did you mean `block`?"),
    ("show small.json --op aten.rlu", "no operator of the graph fits `aten.rlu`", "did you mean `aten.relu`?"),
    ("memory small.json --checkpoint blok", "no module of the graph fits `blok`", "did you mean `block`?"),
    ("show script.pt --model large --input x=4", "there is no model `large`: the file is one TorchScript module", ""),
    ("show small.json --tree --depth 0", "from 1 on, not `0`", ""),
    ("lint a/graph.json b/graph.json --golden G --update-golden", "would share one file: both are called `graph`", ""),
    ("small.json ann.json", "unexpected argument `ann.json`", "`fakeprop lint` takes several graphs"),
    ("ops small.json", "unexpected argument `small.json`", "did you mean `fakeprop ops --graph small.json`?"),
    ("show small.json --input z=2x7", "the graph has no input `z`: its inputs are `x`, `y`", ""),
    ("show small.json --input x", "has no `NAME=`", "a file goes with `--inputs`"),
    ("show small.json --input x=2x7x", "a size is missing", ""),
    ("show small.json --input x=2x7:long", "unknown dtype `long`", "did you mean `int64`?"),
    ("show small.json --input x=2x7@gpu", "unknown device `gpu`", "did you mean `cuda`?"),
    ("show small.json --device gpu", "not `gpu`", "did you mean `cuda`?"),
    ("show small.json --method forward", "there is no method `forward`", ""),
    ("show small.json --model large", "there is no model `large`", ""),
    ("show small.json --columns node,shpe", "shpe", "did you mean `shape`?"),
    ("memory small.json --budget lots", "not `lots`", "`24GiB`"),
    ("memory small.json --set n=8", "no symbol `n`", "it has no symbols"),
    ("refine annotations.json --set batch", "not `batch`", "`batch=8`"),
    ("small.json -o small.json", "would write over `small.json`", ""),
    ("small.json -o no_folder/a.json", "cannot write `no_folder/a.json`", ""),
    ("lint small.json --update-golden", "`--update-golden` needs `--golden`", ""),
    ("explain FP9999", "there is no code `FP9999`", "`fakeprop explain` lists all codes"),
    ("lint", "no GRAPH is given", "name graphs or folders"),
]


class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "small.json").write_text(SMALL)
        shutil.copy(PT2, cls.folder / "pt2.pt2")
        subprocess.run([FAKEPROP, "small.json", "-o", "annotations.json"], cwd=cls.folder, check=True)
        for name, content in (("cut_off.json", SMALL[:2000].encode()), ("cut_off.pt2", PT2.read_bytes()[:3000]),
                              ("spec.yaml", b"inputs:\n"), ("settings.toml", b"[tool.fakeprop]\nx = 1\n"),
                              ("cut_off.json.xz", lzma.compress(SMALL.encode())[:200]), ("script.pt", SCRIPT.read_bytes()), ("pointer.json", b"version https://git-lfs.github.com/spec/v1\n")):
            (cls.folder / name).write_bytes(content)
        for name in "ab":
            (cls.folder / name).mkdir()
            (cls.folder / name / "graph.json").write_text(SMALL)

    def told(self, line, *parts):
        """The message of a command that goes wrong: all of these are in it, and it is short."""
        ran = subprocess.run([FAKEPROP, *line.split()], cwd=self.folder, capture_output=True, text=True, check=False)
        with self.subTest(line, parts=parts):
            self.assertEqual(ran.returncode, 2, ran.stderr)
            self.assertTrue(ran.stderr.startswith("error[FP"), ran.stderr)
            self.assertLessEqual(len(ran.stderr.splitlines()), MOST_LINES, ran.stderr)
            for part in parts:
                self.assertIn(part, ran.stderr)

    def test_files(self):
        for line, what, advice in FILES:
            self.told(line, what, advice)

    def test_specs(self):
        for text, place, what, advice in SPECS:
            (self.folder / "spec.json").write_text(text)
            self.told("show small.json --inputs spec.json", f" --> spec.json{place and ': '}{place}", what, advice)

    def test_command_lines(self):
        for line, what, advice in LINES:
            self.told(line, what, advice)

    def test_standard_input_has_its_name(self):
        ran = subprocess.run([FAKEPROP, "show", "small.json", "--inputs", "-"], input=spec({"x": {"shape": [2, 8]}}), cwd=self.folder,
                             capture_output=True, text=True, check=False)
        self.assertIn("input `x` of standard input", ran.stderr)

    def test_a_proof_without_z3_says_what_to_install(self):
        ran = subprocess.run([FAKEPROP, "prove", GRAPHS / "even.json", "--inputs", GRAPHS / "even_spec.json"], capture_output=True,
                             text=True, check=False, env=os.environ | {"FAKEPROP_Z3": "/no/such/file"})
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertTrue(ran.stderr.startswith("error[FP5006]: "), ran.stderr)
        self.assertIn("Debian's libz3-4 has it, or set FAKEPROP_Z3", ran.stderr)

    def test_there_are_ten_of_each(self):
        for table in (FILES, SPECS, LINES):
            self.assertGreaterEqual(len(table), 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
