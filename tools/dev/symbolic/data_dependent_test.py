#!/usr/bin/env python3
"""Sizes that depend on data: the graphs of testdata/data_dependent, and small graphs of torch.fx.

  data_dependent_test.py BIN FOLDER

Each graph's annotations are compared with what torch.export recorded, as values of both expressions at several points,
and with what every node gave on data: the symbols take the values that stand where `unbacked_bindings` says.
"""
import json, math, pathlib, re, sys, unittest

import fx
from expressions import value_at
from fx import aten, values

SYMBOL = re.compile(r"\b(?:u|s|zuf)\d+\b")
BINARY, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def evaluate(value, env):
    if isinstance(value, dict):
        value = value["expr"]
    if not isinstance(value, str):
        return value
    return value_at(value, env)


def annotate(graph, *options):
    return fx.annotate(BINARY, graph, *options)


def recorded_number(size):
    for key in ("as_int", "as_bool", "as_float"):
        if key in size:
            return size[key]
    return size["as_expr"]["expr_str"]


def recorded_values(document):
    graph = document["graph_module"]["graph"]
    values = {}
    for name, t in graph["tensor_values"].items():
        values[name] = {"shape": [recorded_number(s) for s in t["sizes"]], "stride": [recorded_number(s) for s in t["strides"]],
                        "storage_offset": recorded_number(t["storage_offset"])}
    for table in ("sym_int_values", "sym_float_values", "sym_bool_values"):
        values.update({name: recorded_number(v) for name, v in graph.get(table, {}).items()})
    return values


def values_of(value, env):
    """A tensor's sizes, strides where they count, and offset; a number itself; lists of them."""
    if isinstance(value, list):
        return [values_of(item, env) for item in value]
    if isinstance(value, dict) and "shape" in value:
        shape = [evaluate(s, env) for s in value["shape"]]
        stride = [evaluate(s, env) for s in value["stride"]]
        return shape, [s for n, s in zip(shape, stride) if n != 1 and 0 not in shape], evaluate(value["storage_offset"], env)
    return evaluate(value, env) if not isinstance(value, dict) or "expr" in value else None


def real_value(value):
    if isinstance(value, list):
        return [real_value(item) for item in value]
    if not isinstance(value, dict):
        return value
    strides = [s for n, s in zip(value["size"], value["stride"]) if n != 1 and 0 not in value["size"]]
    return value["size"], strides, value["offset"]


def bound_value(real, place):
    """What stands at a binding's place."""
    while match := re.match(r"\[(\d+)\]\.?", place):
        real, place = real[int(match[1])], place[match.end():]
    if match := re.fullmatch(r"(size|stride)\((\d+)\)", place):
        return real[match[1]][int(match[2])]
    if place == "storage_offset()":
        return real["offset"]
    return int(real) if place == "__int__()" else real


def strip_recorded(document):
    """The same graph without what it recorded for results of nodes."""
    graph = document["graph_module"]["graph"]
    inputs = {next(iter(i.values())).get("name") for i in graph["inputs"]}
    for table in ("tensor_values", "sym_int_values", "sym_float_values", "sym_bool_values"):
        graph[table] = {name: v for name, v in graph.get(table, {}).items() if name in inputs}
    return document


class Graphs(unittest.TestCase):
    def load(self, path):
        annotations, status, messages = annotate(json.loads(path.read_text()))
        self.assertEqual(status, 0, messages)
        return annotations

    def paths(self):
        found = sorted(p for p in FOLDER.glob("*.json") if not p.name.endswith(".truth.json"))
        self.assertGreater(len(found), 30)
        return found

    def test_as_recorded(self):
        for path in self.paths():
            with self.subTest(path.stem):
                got, want = values(self.load(path)), recorded_values(json.loads(path.read_text()))
                names = sorted(set(SYMBOL.findall(json.dumps(want))))
                for shift in (0, 3, 11):
                    env = {n: 5 + 3 * i + shift + (0.5 if n[0] == "z" else 0) for i, n in enumerate(names)}
                    for name, value in want.items():
                        self.assertEqual(values_of(got[name], env), values_of(value, env), name)

    def test_as_on_data(self):
        for path in self.paths():
            with self.subTest(path.stem):
                annotations = self.load(path)
                real = json.loads(path.with_suffix(".truth.json").read_text())
                env = {name: s["hint"] for name, s in annotations["symbols"].items() if "hint" in s}
                for node in annotations["nodes"]:
                    for name, place in node.get("unbacked_bindings", {}).items():
                        env[name] = bound_value(real[node["name"]], place)
                for name, s in annotations["symbols"].items():
                    if name in env and s.get("kind") == "unbacked":
                        self.assertLessEqual(s.get("min", env[name]), env[name])
                        self.assertGreaterEqual(s.get("max", env[name]), env[name])
                for guard in annotations["guards"]:
                    self.assertTrue(evaluate(guard["expr"], env), guard)
                for name, value in values(annotations).items():
                    if real.get(name) is not None and name != "output":
                        self.assertEqual(values_of(value, env), real_value(real[name]), name)

    def test_without_what_is_recorded(self):
        for path in self.paths():
            with self.subTest(path.stem):
                full = self.load(path)
                bare, status, messages = annotate(strip_recorded(json.loads(path.read_text())))
                self.assertEqual(status, 0, messages)
                # Names of symbols in order of creation: u0, u1 ...
                text, names = json.dumps(full["nodes"]), list(full["symbols"])
                for a, b in zip(names, bare["symbols"]):
                    text = re.sub(rf"\b{a}\b", f"<{b}>", text)
                renamed = re.sub(r"<(\w+)>", r"\1", text)
                spelt = lambda t: [sorted(re.findall(r"\w+", word)) for word in t.split('"')]
                self.assertEqual(spelt(renamed), spelt(json.dumps(bare["nodes"])))


# ---------------------------------------------------------------- graphs of torch.fx
def run(*nodes, options=(), **inputs):
    return fx.annotate(BINARY, fx.document(*nodes, inputs=inputs), *options, spec=fx.input_spec(inputs, {}))


class Scenarios(unittest.TestCase):
    def good(self, *nodes, **inputs):
        annotations, status, messages = run(*nodes, **inputs)
        self.assertEqual(status, 0, messages)
        return annotations

    def shapes(self, *nodes, **inputs):
        return {n: v["shape"] if isinstance(v, dict) and "shape" in v else v
                for n, v in values(self.good(*nodes, **inputs)).items()}

    def test_items(self):
        a = self.good(("i", aten("item.default"), "%n"), ("b", aten("item.default"), "%flag"), ("f", aten("item.default"), "%x"),
                      n=([], "int64"), flag=([], "bool"), x=([], "float32"))
        v = values(a)
        self.assertEqual(v["i"], {"type": "symint", "expr": "u0"})
        self.assertEqual(v["b"], {"type": "symbool", "expr": "Eq(u1, 1)"})
        self.assertEqual(v["f"], {"type": "symfloat", "expr": "zuf0"})
        places = {n["name"]: n.get("unbacked_bindings") for n in a["nodes"]}
        self.assertEqual(places["i"], {"u0": ""})
        self.assertEqual(places["b"], {"u1": "__int__()"})
        self.assertEqual(places["f"], {"zuf0": ""})

    def test_ten_floats_of_tolist(self):
        inputs = {"x": ([10], "float32")}
        document = fx.document(("l", "torch.Tensor.tolist", "%x"), inputs=inputs)
        document["nodes"][1].update(op="call_method", target="tolist")
        annotations, status, messages = fx.annotate(BINARY, document, spec=fx.input_spec(inputs, {}))
        self.assertEqual(status, 0, messages)
        self.assertEqual([v["expr"] for v in values(annotations)["l"]], [f"zuf{i}" for i in range(10)])

    def test_item_is_remembered_until_the_data_changes(self):
        s = self.shapes(("a", aten("item.default"), "%n"), ("b", aten("item.default"), "%n"),
                        ("w", aten("add_.Tensor"), "%n", 1), ("c", aten("item.default"), "%n"), n=([], "int64"))
        self.assertEqual(s["a"], s["b"])
        self.assertNotEqual(s["a"], s["c"])

    def test_nonzero_is_remembered_until_the_data_changes(self):
        s = self.shapes(("a", aten("nonzero.default"), "%x"), ("b", aten("nonzero.default"), "%x"),
                        ("w", aten("add_.Tensor"), "%x", 1), ("c", aten("nonzero.default"), "%x"), x=([5], "float32"))
        self.assertEqual(s["a"], ["u0", 1])
        self.assertEqual(s["b"], ["u0", 1])
        self.assertEqual(s["c"], ["u1", 1])

    def test_views_remember_for_themselves(self):
        s = self.shapes(("a", aten("nonzero.default"), "%x"), ("v", aten("view.default"), "%x", [5]),
                        ("b", aten("nonzero.default"), "%v"), ("d", aten("detach.default"), "%x"),
                        ("c", aten("nonzero.default"), "%d"), ("e", aten("nonzero.default"), "%x"), x=([5], "float32"))
        self.assertEqual([s[n][0] for n in "abce"], ["u0", "u1", "u2", "u0"])

    def test_write_to_a_view_is_one_to_its_base(self):
        s = self.shapes(("v", aten("view.default"), "%x", [5]), ("a", aten("nonzero.default"), "%x"),
                        ("w", aten("zero_.default"), "%v"), ("b", aten("nonzero.default"), "%x"), x=([5], "float32"))
        self.assertNotEqual(s["a"], s["b"])

    def test_unique_is_remembered(self):
        s = self.shapes(("a", aten("_unique2.default"), "%x"), ("b", aten("_unique2.default"), "%x"),
                        ("c", aten("unique_consecutive.default"), "%x"), ("d", aten("unique_dim.default"), "%x", 0),
                        ("e", aten("unique_dim.default"), "%x", 0), x=([5], "int64"))
        first = {n: s[n][0]["shape"] for n in "abcde"}
        self.assertEqual([first[n] for n in "abcde"], [["u0"], ["u0"], ["u1"], ["u2"], ["u3"]])

    def test_masked_select_does_not_share_with_indexing(self):
        s = self.shapes(("a", aten("masked_select.default"), "%x", "%m"), ("i", aten("index.Tensor"), "%x", ["%m"]),
                        ("n", aten("nonzero.default"), "%m"), x=([5], "float32"), m=([5], "bool"))
        self.assertEqual([s["a"], s["i"], s["n"]], [["u0"], ["u1"], ["u1", 1]])

    def test_mask_index(self):
        s = self.shapes(("a", aten("index.Tensor"), "%x", [None, "%m"]), x=([4, 4, 4], "float32"), m=([4], "bool"))
        self.assertEqual(s["a"], [4, "u0", 4])

    def test_strides_of_nonzero(self):
        a = self.good(("n", aten("nonzero.default"), "%x"), ("t", aten("t.default"), "%n"),
                      ("c", aten("contiguous.default"), "%t"), x=([5], "float32"))
        v = values(a)
        self.assertEqual(v["n"]["stride"], [1, "u0"])
        self.assertEqual(v["c"]["storage"], v["n"]["storage"])
        self.assertEqual(a["symbols"]["u0"], {"min": 0, "max": 5, "kind": "unbacked", "source": "n"})

    def test_empty_of_an_item(self):
        a = self.good(("i", aten("item.default"), "%n"), ("e", aten("empty.memory_format"), ["%i"]), n=([], "int64"))
        self.assertEqual([values(a)["e"][k] for k in ("shape", "stride")], [["u0"], [1]])

    def test_nothing_to_choose_from(self):
        s = self.shapes(("a", aten("nonzero.default"), "%x"), ("b", aten("_unique2.default"), "%x"), x=([0, 3], "float32"))
        self.assertEqual([s["a"], s["b"][0]["shape"]], [[0, 2], [0]])

    def test_guard_names_origin_place_and_remedy(self):
        annotations, status, messages = run(
            ("i", aten("item.default"), "%n"), ("c", "_operator.gt", "%i", 3), ("b", "builtins.bool", "%c"), n=([], "int64"))
        self.assertEqual(status, 1)
        error = next(n["error"] for n in annotations["nodes"] if "error" in n)
        self.assertEqual([error["class"], error["code"]], ["DataDependentGuard", "FP3015"])
        for text in ("`u0 >= 4`", "node `i` (model.py:1", "torch._check(u0 >= 4)", "torch._check(u0 <= 3)"):
            self.assertIn(text, error["message"])
        self.assertIn("model.py:3", messages)

    def test_checks_are_facts(self):
        nodes = [("i", aten("item.default"), "%n"), ("g", "_operator.ge", "%i", 2), ("k", aten("_assert_scalar.default"), "%g", "no")]
        a = self.good(*nodes, ("c", "_operator.ge", "%i", 1), ("b", "builtins.bool", "%c"), n=([], "int64"))
        self.assertEqual(values(a)["b"], True)
        self.assertEqual([(g["expr"], g["kind"], g["node"]) for g in a["guards"]], [("u0 >= 2", "assertion", "k")])
        _, status, messages = run(*nodes, ("l", "_operator.lt", "%i", 1),
                                  ("m", aten("_assert_scalar.default"), "%l", "never"), n=([], "int64"))
        self.assertEqual(status, 1)
        self.assertIn("never", messages)

    def test_constrained_ranges(self):
        a = self.good(("i", aten("item.default"), "%n"), ("s", aten("sym_constrain_range_for_size.default"), "%i"),
                      ("z", aten("zeros.default"), ["%i"]), ("j", aten("item.default"), "%m"),
                      ("r", aten("sym_constrain_range.default"), "%j"), n=([], "int64"), m=([], "int64"))
        self.assertEqual([g["expr"] for g in a["guards"]], ["u0 >= 0"])

    def test_equal_to_a_number(self):
        a = self.good(("i", aten("item.default"), "%n"), ("e", "_operator.eq", "%i", 4),
                      ("k", aten("_assert_scalar.default"), "%e", "no"), ("z", aten("zeros.default"), ["%i"]),
                      n=([], "int64"))
        self.assertEqual(values(a)["z"]["shape"], [4])

    def test_columns_of_where(self):
        a = self.good(("w", aten("where.default"), "%x"), x=([3, 4], "bool"))
        rows, columns = values(a)["w"]
        self.assertEqual([rows["shape"], columns["shape"], columns["storage_offset"]], [["u0"], ["u0"], "u0"])
        self.assertEqual(rows["storage"], columns["storage"])
        self.assertEqual(a["storages"][rows["storage"]]["nbytes"], "16*u0")

    def test_without_symbols(self):
        for node, inputs, error in ((("a", aten("nonzero.default"), "%x"), {"x": ([5], "float32")}, "DynamicOutputShape"),
                                    (("a", aten("item.default"), "%x"), {"x": ([], "int64")}, "DataDependentOutput"),
                                    (("a", aten("bincount.default"), "%x"), {"x": ([5], "int64")}, "DynamicOutputShape"),
                                    (("a", aten("_unique2.default"), "%x"), {"x": ([5], "int64")}, "DynamicOutputShape")):
            annotations, status, _ = run(node, options=["--no-symbolic"], **inputs)
            self.assertEqual(status, 1)
            self.assertEqual([n["error"]["class"] for n in annotations["nodes"] if "error" in n], [error])

    def test_what_stays_an_error(self):
        _, status, _ = run(("a", aten("equal.default"), "%x", "%x"), x=([5], "float32"))
        self.assertEqual(status, 1)

    def test_writes_rely_on_equal_sizes(self):
        a = self.good(("p", aten("index.Tensor"), "%x", ["%m"]), ("q", aten("index.Tensor"), "%x", ["%k"]),
                      ("w", aten("add_.Tensor"), "%p", "%q"), x=([5], "float32"), m=([5], "bool"), k=([5], "bool"))
        self.assertEqual([(g["expr"], g["kind"]) for g in a["guards"]], [("Eq(u0, u1)", "assertion")])

    def test_out_takes_the_size_of_data(self):
        s = self.shapes(("w", aten("masked_select.out"), "%x", "%m", "%o"), x=([5], "float32"), m=([5], "bool"),
                        o=([0], "float32"))
        self.assertEqual(s["w"], ["u0"])

    def test_slices_of_unknown_sign(self):
        a = self.good(("i", aten("item.default"), "%n"), ("s", aten("slice.Tensor"), "%x", 0, None, "%i"),
                      ("t", aten("select.int"), "%x", 0, "%i"), n=([], "int64"), x=([6, 4], "float32"))
        v = values(a)
        self.assertEqual([v["s"]["shape"], v["s"]["stride"], v["s"]["storage_offset"]], [["u1", 4], [4, 1], 0])
        self.assertEqual([v["t"]["shape"], v["t"]["storage_offset"]], [[4], "u2"])
        places = {n["name"]: n.get("unbacked_bindings") for n in a["nodes"]}
        self.assertEqual([places["s"], places["t"]], [{"u1": "size(0)"}, {"u2": "storage_offset()"}])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
