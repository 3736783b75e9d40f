#!/usr/bin/env python3
"""Operator calls over symbols: fakeprop's answers against those of PyTorch's FakeTensorMode with a ShapeEnv.

  check_operators.py --fakeprop BIN [--sym-ints] [--only REGEX] [--count N] [--seed 0] < CALLS

Reads call texts (lib/rules/testing/call_text.h), one a line; what follows `) -> ` is passed over. Every size of 2 or more is a
symbol of its own, strides are products of sizes where they can be (as tools/truth/specialised.py has it); with --sym-ints the
SymInt arguments are symbols as well. Prints, by kind:

  error       fakeprop has none where PyTorch answers
  fixed       a size that fakeprop makes a number and PyTorch does not
  differs     sizes and strides at the hints, or at a point that the guards of both allow, are others
  untrue      at a point that our guards allow FakeTensorMode with numbers has another answer
  unguarded   there it refuses, and PyTorch's own guards would not allow the point
  narrow      our guards refuse a point where PyTorch's do not, and numbers are fine; one line for each operator and guard
"""
import argparse, collections, json, math, os, random, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "truth"))

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import DimDynamic
from torch._dynamo.source import ConstantSource
from torch.utils import _pytree

from answers import error_line, fake_answer, fake_tensor, telling_strides  # noqa: F401
from call_text import NoText, TensorSpec, contiguous_strides, find_operator, parse_call
from isolated import run_isolated
from record_calls import quiet
from specialised import SymbolicCall

BATCH = 60    # calls in one run of fakeprop
POINTS = 40   # candidates for each call


class SymIntSpec:
    """The place of an argument that is a symbol."""

    def __init__(self, name, hint):
        self.name, self.hint = name, hint


def with_sym_ints(call):
    schema = find_operator(call.name)._schema
    count = 0

    def visit(value):
        nonlocal count
        if isinstance(value, list):
            return [visit(v) for v in value]
        if isinstance(value, bool) or not isinstance(value, int) or value < 2:
            return value
        count += 1
        return SymIntSpec(f"a{count - 1}", value)

    for i, argument in enumerate(schema.arguments):
        if not re.search(rf"SymInt\S* {argument.name}\b", str(schema)):  # its type says int
            continue
        if i < len(call.args):
            call.args[i] = visit(call.args[i])
        elif argument.name in call.kwargs:
            call.kwargs[argument.name] = visit(call.kwargs[argument.name])
    return call


def has_sym_ints(text):
    found = []
    try:
        mapped(parsed(text, "sym-ints"), lambda spec: None, found.append)
    except (AttributeError, NoText):  # no such operator here
        return False
    return bool(found)


def parsed(text, kind):
    call = parse_call(text)
    return with_sym_ints(call) if kind == "sym-ints" else call


def mapped(call, tensor, number):
    """The arguments with something else for tensors and for symbols."""
    def visit(value):
        if isinstance(value, TensorSpec):
            return tensor(value)
        if isinstance(value, SymIntSpec):
            return number(value)
        return [visit(v) for v in value] if isinstance(value, list) else value
    return [visit(v) for v in call.args], {k: visit(v) for k, v in call.kwargs.items()}


# ---- PyTorch's side


class UnbackedCall(SymbolicCall):
    """Sizes that data decides, of tensors that are made with them."""

    def make(self, spec):
        if spec.strides != contiguous_strides(spec.sizes) or spec.offset:
            raise NoText("made tensors are contiguous")
        name = f"t{self.count}"
        self.count += 1
        sizes = [self.size(f"{name}s{d}", size) for d, size in enumerate(spec.sizes)]
        with self.mode:
            return torch.empty(sizes, dtype=spec.dtype, device=spec.device)

    def size(self, name, hint):
        if hint < 2:
            return hint
        made = self.env.create_unbacked_symint()
        torch._check(made >= 0)
        self.remember(made, name)
        self.hints[name] = hint
        return made


class Described:
    """Texts of what PyTorch computed, with our names for its symbols."""

    def __init__(self, symbolic):
        self.symbolic, self.env = symbolic, symbolic.env
        self.renamed = {s: sympy.Symbol(n, integer=True) for s, n in symbolic.names.items()}

    def text(self, expression):
        if isinstance(expression, (torch.SymInt, torch.SymBool, torch.SymFloat)):
            expression = self.env.replace(expression.node.expr)
        if isinstance(expression, sympy.Basic):
            return str(expression.xreplace(self.renamed)).replace("~", "Not")
        return repr(expression) if isinstance(expression, float) else str(expression)

    def value(self, value):
        if isinstance(value, torch.Tensor):
            if value.layout != torch.strided:
                return ["tensor", str(value.layout), [], [], "0"]
            return ["tensor", str(value.dtype).removeprefix("torch."), [self.text(d) for d in value.shape],
                    [self.text(d) for d in value.stride()], self.text(value.storage_offset())]
        return ["number", self.text(value) if isinstance(value, (int, float, torch.SymInt, torch.SymFloat, torch.SymBool)) else None]

    def values(self, result):
        return [self.value(v) for v in _pytree.tree_leaves(result, is_leaf=lambda v: v is None)]

    def guards(self):
        texts = [self.text(self.env.replace(g.expr)) for g in self.env.guards]
        for symbol, new in self.env.replacements.items():
            if symbol in self.renamed:
                texts.append(f"Eq({self.text(symbol)}, {self.text(new)})")
        for symbol, around in self.env.var_to_range.items():
            if symbol not in self.renamed:
                continue
            if around.lower.is_Integer and around.lower > (0 if self.symbolic.hints else 2):
                texts.append(f"{self.text(symbol)} >= {around.lower}")
            if around.upper.is_Integer and around.upper < 2**60:
                texts.append(f"{self.text(symbol)} <= {around.upper}")
        for asserts in self.env.deferred_runtime_asserts.values():
            texts += [self.text(self.env.replace(a.expr)) for a in asserts]
        return [t for t in texts if t != "True"]


def symbolic_answer(job):
    text, kind = job
    symbolic = UnbackedCall() if kind == "unbacked" else SymbolicCall()
    symbolic.hints = {}
    call = parsed(text, kind)
    inputs, numbers = [], {}

    def tensor(spec):
        inputs.append((spec, symbolic.make(spec)))
        return inputs[-1][1]

    def number(spec):
        source = ConstantSource(spec.name)
        symbol = symbolic.env.create_symbol(spec.hint, source, dynamic_dim=DimDynamic.DYNAMIC)
        numbers[spec.name] = spec.hint
        made = symbolic.env.create_symintnode(symbol, hint=spec.hint, source=source)
        symbolic.remember(made, spec.name)
        return made

    args, kwargs = mapped(call, tensor, number)
    described = Described(symbolic)
    answer = {"inputs": [[spec.dtype, spec.device, *described.value(t)[2:]] for spec, t in inputs], "numbers": numbers}
    answer["hints"] = symbolic.hints or {name: int(symbolic.env.size_hint(s)) for s, name in symbolic.names.items()}
    try:
        with symbolic.mode:
            result = find_operator(call.name)(*args, **kwargs)
        answer["values"] = described.values(result)
    except Exception as e:
        answer["error"] = error_line(e)
    answer["fixed"] = symbolic.specialised()
    answer["guards"] = described.guards()
    return answer


def concrete_answer(job):
    """What FakeTensorMode says with numbers: values, or None for an error."""
    text, kind, inputs, point = job
    from torch._subclasses.fake_tensor import FakeTensorMode
    mode = FakeTensorMode(allow_fallback_kernels=True)
    mode.cache_enabled = False
    rest = iter(inputs)

    def tensor(_):
        dtype, device, sizes, strides, offset = next(rest)
        spec = TensorSpec([value_at(d, point) for d in sizes], [value_at(d, point) for d in strides], value_at(offset, point),
                          dtype, device)
        return fake_tensor(spec, mode)

    call = parsed(text, kind)
    args, kwargs = mapped(call, tensor, lambda spec: point[spec.name])
    try:
        with mode:
            result = find_operator(call.name)(*args, **kwargs)
    except Exception as e:
        return "!" + error_line(e)
    symbolic = SymbolicCall()
    symbolic.hints = {}
    return Described(symbolic).values(result)


# ---- fakeprop's side


def fx_argument(value):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    for kind, name in ((torch.dtype, "dtype"), (torch.layout, "layout"), (torch.memory_format, "memory_format"),
                       (torch.device, "device")):
        if isinstance(value, kind):
            return {name: str(value).removeprefix("torch.")}
    if isinstance(value, list):
        return [fx_argument(v) for v in value]
    return value


def prefixed(text, prefix):
    return re.sub(r"\b([at]\d+\w*)", prefix + r"\1", text)


def dim(text, prefix):
    return int(text) if re.fullmatch(r"-?\d+", text) else prefixed(text, prefix)


def made_of_data(prefix, given, name, nodes, spec):
    """The nodes that make a tensor with sizes that data decides."""
    dtype, device, sizes, _, _ = given
    nodes_of = lambda name, target, *args, **kwargs: nodes.append(
        {"name": name, "op": "call_function", "target": f"torch.ops.aten.{target}", "args": list(args), "kwargs": kwargs})
    for size in sizes:
        if not size.isdigit():
            nodes.insert(0, {"name": f"{prefix}{size}_x", "op": "placeholder", "target": f"{prefix}{size}_x"})
            spec["inputs"][f"{prefix}{size}_x"] = {"shape": [], "dtype": "int64"}
            nodes_of(prefix + size, "item.default", {"node": f"{prefix}{size}_x"})
            nodes_of(f"{prefix}{size}_c", "sym_constrain_range_for_size.default", {"node": prefix + size}, min=0)
    nodes_of(name, "empty.memory_format", [int(d) if d.isdigit() else {"node": prefix + d} for d in sizes],
             dtype={"dtype": str(dtype).removeprefix("torch.")}, device={"device": device})


def add_case(i, text, kind, answer, nodes, spec):
    prefix = f"c{i}_"
    for name, hint in answer["hints"].items() if kind != "unbacked" else ():
        spec["symbols"][prefix + name] = {"min": 2, "hint": hint}
    count = 0

    def tensor(_):
        nonlocal count
        name = f"{prefix}x{count}"
        dtype, device, sizes, strides, offset = answer["inputs"][count]
        count += 1
        if kind == "unbacked":
            made_of_data(prefix, answer["inputs"][count - 1], name, nodes, spec)
            return {"node": name}
        nodes.append({"name": name, "op": "placeholder", "target": name})
        spec["inputs"][name] = {"shape": [dim(d, prefix) for d in sizes], "stride": [dim(d, prefix) for d in strides],
                                "storage_offset": dim(offset, prefix), "dtype": str(dtype).removeprefix("torch."),
                                "device": device}
        return {"node": name}

    def number(given):
        name = f"{prefix}n{given.name}"
        nodes.append({"name": name, "op": "placeholder", "target": name})
        spec["inputs"][name] = {"value": prefix + given.name}
        return {"node": name}

    call = parsed(text, kind)
    args, kwargs = mapped(call, tensor, number)
    return {"name": f"{prefix}call", "op": "call_function", "target": f"torch.ops.{find_operator(call.name)}",
            "args": [fx_argument(v) for v in args], "kwargs": {k: fx_argument(v) for k, v in kwargs.items()}}


def our_values(val):
    if isinstance(val, list):
        return [x for v in val for x in our_values(v)]
    if isinstance(val, dict) and val.get("type") == "tensor":
        if val.get("layout", "strided") != "strided":
            return [["tensor", "torch." + val["layout"], [], [], "0"]]
        return [["tensor", val["dtype"], [str(d) for d in val["shape"]], [str(d) for d in val["stride"]],
                 str(val["storage_offset"])]]
    if isinstance(val, dict) and val.get("type", "").startswith("sym"):
        return [["number", val["expr"]]]
    if isinstance(val, (bool, int, float)):
        return [["number", str(val)]]
    return [["number", None]]


def strip(value, prefix):
    return json.loads(json.dumps(value).replace(prefix, ""))


def with_our_names(found, text):
    """The annotations with the names of the nodes that asked for them for symbols that data made."""
    names = {symbol: n["name"] for n in found["nodes"] if n["target"] == "torch.ops.aten.item.default"
             for symbol in n.get("unbacked_bindings", {})}
    return re.sub(r"\bu\d+\b", lambda match: names.get(match[0], match[0]), text)


def write_graph(jobs, answers, graph, inputs):
    """The calls of the batch as FX JSON, and the spec of its inputs."""
    nodes, calls, spec = [], [], {"format": "fakeprop.inputs/1", "symbols": {}, "inputs": {}}
    for i, ((text, kind), answer) in enumerate(zip(jobs, answers)):
        calls.append(add_case(i, text, kind, answer, nodes, spec))
    output = {"name": "output", "op": "output", "target": "output", "args": [{"tuple": []}]}
    json.dump({"format": "fakeprop.fx/1", "nodes": nodes + calls + [output]}, open(graph, "w"))
    json.dump(spec, open(inputs, "w"))


def numbers_at_hints(command, jobs, answers, graph, inputs, out):
    """The nodes of the same calls with the hints for sizes; nothing where the program refuses the graph."""
    write_graph([(text, "sizes" if kind == "unbacked" else kind) for text, kind in jobs], answers, graph, inputs)
    done = subprocess.run([*command, "--no-symbolic"], capture_output=True, text=True)
    return {n["name"]: n for n in json.load(open(out))["nodes"]} if done.returncode in (0, 1) else None


def our_answers(fakeprop, jobs, answers, folder):
    graph, inputs, out = (os.path.join(folder, n) for n in ("graph.json", "spec.json", "out.json"))
    command = [fakeprop, graph, "--keep-going", "--inputs", inputs, "-o", out]
    concrete = numbers_at_hints(command, jobs, answers, graph, inputs, out)
    write_graph(jobs, answers, graph, inputs)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1) or concrete is None:
        if len(jobs) == 1:
            return [{"error": done.stderr.strip()[:300], "fixed": [], "guards": [], "as numbers": []}]  # of the program itself
        half = len(jobs) // 2
        return our_answers(fakeprop, jobs[:half], answers[:half], folder) + our_answers(fakeprop, jobs[half:], answers[half:], folder)
    found = json.load(open(out))
    os.remove(out)
    found = json.loads(with_our_names(found, json.dumps(found)))
    by_name = {n["name"]: n for n in found["nodes"]}
    guards = collections.defaultdict(list)
    for guard in found["guards"]:
        guards[guard.get("node")].append(guard)
    result = []
    for i, answer in enumerate(answers):
        prefix = f"c{i}_"
        node = by_name[prefix + "call"]
        ours = {"guards": [strip(g["expr"], prefix) for g in guards[prefix + "call"]], "fixed": []}
        if "error" in node:
            ours["error"] = node["error"]["class"] + ": " + strip(node["error"]["message"], prefix)
        else:
            ours["values"] = strip(our_values(node.get("meta", {}).get("val")), prefix)
        numbers = concrete[prefix + "call"]
        ours["as numbers"] = our_values(numbers["meta"].get("val")) if "meta" in numbers else None
        for name in answer["hints"]:
            if any(re.fullmatch(rf"Eq\({name}, \d+\)", g) for g in ours["guards"]):
                ours["fixed"].append(name)
        result.append(ours)
    return result


# ---- values at points

NAMES = {"FloorDiv": lambda a, b: a // b, "CleanDiv": lambda a, b: a // b, "Mod": lambda a, b: a % b, "PythonMod": lambda a, b: a % b,
         "Max": max, "Min": min, "CeilDiv": lambda a, b: -(-a // b), "IntTrueDiv": lambda a, b: a / b, "Abs": abs,
         "FloatTrueDiv": lambda a, b: a / b, "ToFloat": float, "TruncToInt": math.trunc, "CeilToInt": math.ceil,
         "FloorToInt": math.floor, "floor": math.floor, "ceiling": math.ceil, "RoundToInt": round, "Identity": lambda a: a,
         "PowByNatural": pow, "FloatPow": pow, "OpaqueUnaryFn_sqrt": math.sqrt, "sqrt": math.sqrt, "Eq": lambda a, b: a == b,
         "Ne": lambda a, b: a != b, "Not": lambda a: not a, "Or": lambda *a: any(a), "And": lambda *a: all(a), "true": True, "false": False,
         "Piecewise": lambda *pairs: next(v for v, c in pairs if c), "Where": lambda c, a, b: a if c else b,
         "inf": math.inf, "nan": math.nan, "zoo": math.nan, "OpaqueUnaryFn_log2": math.log2, "int_oo": math.inf,
         "Mul": lambda a, b: a * b, "Trunc": math.trunc, "OpaqueUnaryFn_exp": math.exp}


def value_at(text, point):
    return eval(text, {"__builtins__": {}}, {**NAMES, **point}) if text is not None else None


def at(values, point):
    """Sizes and telling strides as numbers; data's symbols by the order in which they come."""
    order = {}
    for name in re.findall(r"\b(?:u|zuf|zf)\d+\b", json.dumps(values)):
        order.setdefault(name, 5 + len(order))
    here = {**point, **order}
    out = []
    for kind, *rest in values:
        if kind == "number":
            out.append(value_at(rest[0], here))
            continue
        dtype, sizes, strides, offset = rest
        numbers = [value_at(d, here) for d in sizes]
        out.append((dtype, numbers, telling_strides(numbers, [value_at(d, here) for d in strides]), value_at(offset, here)))
    return out


def hold(guards, point):
    def true(guard):
        try:
            return bool(value_at(guard, {**point, **{f"u{i}": 5 + i for i in range(9)}}))
        except (ZeroDivisionError, ValueError, OverflowError):
            return False
    return all(true(g) for g in guards)


def candidates(hints, guards, rng):
    """Points around the hints; equal symbols stay equal."""
    group = {n: n for n in hints}

    def root(n):
        while group[n] != n:
            n = group[n]
        return n

    for guard in guards:
        match = re.fullmatch(r"Eq\((\w+), (\w+)\)", guard)
        if match and match[1] in group and match[2] in group:
            group[root(match[1])] = root(match[2])
    roots = sorted({root(n) for n in hints})
    changes = [lambda v: v + 1, lambda v: 2 * v, lambda v: max(2, v - 1), lambda v: v + 5, lambda v: 3 * v, lambda v: rng.randint(2, 9),
               lambda v: 2]
    for k in range(POINTS if roots else 0):
        moved = {roots[k % len(roots)]} if k < 2 * len(roots) else set(roots) if k % 3 == 0 else set(rng.sample(roots, rng.randint(1, len(roots))))
        change = changes[k % len(changes)]
        point = {r: change(hints[r]) if r in moved else hints[r] for r in roots}
        yield {n: point[root(n)] for n in hints}


# ---- the comparison


class Report:
    def __init__(self):
        self.found = collections.defaultdict(list)
        self.counts = collections.Counter()

    def add(self, kind, call, text):
        self.found[kind].append((call.partition("(")[0], call, text))

    def print(self):
        for kind in ("bad", "error", "fixed", "differs", "untrue", "unguarded", "narrow"):
            rows = self.found[kind]
            print(f"## {kind}: {len(rows)} calls of {len({r[0] for r in rows})} operators")
            for name, call, text in sorted(rows):
                print(f"{kind}\t{call}\t{text}")
        print(dict(self.counts), {k: len(v) for k, v in self.found.items()})


def compare(call, theirs, ours, report, rng):
    """Returns points to ask numbers at: (point, whether PyTorch's guards hold there)."""
    report.counts["calls"] += 1
    if "error" in theirs:
        report.counts["PyTorch refuses"] += 1
        return []
    if ours["as numbers"] is None:  # an error of ours that has nothing to do with symbols
        report.counts["we refuse"] += 1
        return []
    if "error" in ours:
        report.add("error", call, ours["error"][:200])
        return []
    if at(ours["as numbers"], {}) == at(ours["values"], theirs["hints"]) != at(theirs["values"], theirs["hints"]):
        report.counts["other for numbers"] += 1  # known differences, of eager's kernels and FakeTensorMode
        return []
    fixed = sorted(set(ours["fixed"]) - set(theirs["fixed"]))
    if fixed:
        report.add("fixed", call, f"{fixed} by {ours['guards']} theirs {theirs['guards']}"[:500])
    points, narrow = [], []
    hints = theirs["hints"]
    told = False
    for point in [hints, *candidates(hints, theirs["guards"] + ours["guards"], rng), *candidates(hints, theirs["guards"], rng)]:
        by_ours, by_theirs = hold(ours["guards"], point), hold(theirs["guards"], point)
        if by_ours and by_theirs:
            report.counts["points"] += 1
            if not told and at(ours["values"], point) != at(theirs["values"], point):
                told = True
                moved = {n: v for n, v in point.items() if v != hints[n]}
                report.add("differs", call, f"at {moved or 'hints'} ours {ours['values']} theirs {theirs['values']} | ours {ours['guards']} "
                           f"theirs {theirs['guards']}"[:900])
        if by_ours and len(points) < 6:
            points.append((point, True, by_theirs))
        elif not by_ours and by_theirs and len(narrow) < 3:
            narrow.append((point, False, by_theirs))
    return points + narrow


def ask_numbers(jobs, points, report, kind):
    """At the points, FakeTensorMode with numbers against our expressions."""
    todo = [(text, kind, theirs["inputs"], point) for (text, theirs, ours), some in zip(jobs, points) for point, *_ in some]
    answers = (answer for _, answer in run_isolated(concrete_answer, todo))
    told = set()
    for (text, theirs, ours), some in zip(jobs, points):
        for point, by_ours, by_theirs in some:
            answer = next(answers)
            moved = {n: v for n, v in point.items() if v != theirs["hints"][n]}
            refused = answer is None or isinstance(answer, str)
            if by_ours and refused and not by_theirs:
                kind, words = "unguarded", f"at {moved} {answer} | ours {ours['guards']} theirs {theirs['guards']}"
            elif by_ours and not refused and at(answer, {}) != at(ours["values"], point):
                kind, words = "untrue", f"at {moved} ours {ours['values']} numbers {answer} guards {ours['guards']}"
            elif not by_ours and not refused:
                broken = [g for g in ours["guards"] if not hold([g], point)]
                kind, words = "narrow", f"at {moved} {broken} theirs {theirs['guards']}"
            else:
                continue
            if (kind, text) not in told:
                told.add((kind, text))
                report.add(kind, text, words[:900])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("--sym-ints", dest="kind", action="store_const", const="sym-ints", default="sizes",
                        help="symbols for SymInt arguments as well")
    parser.add_argument("--unbacked", dest="kind", action="store_const", const="unbacked", help="sizes that data decides")
    parser.add_argument("--only", default="", help="a regular expression for operators' names")
    parser.add_argument("--count", type=int, default=10**9, help="calls of one overload, at random")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    quiet()
    rng = random.Random(options.seed)
    by_name = collections.defaultdict(dict)
    for line in sys.stdin:
        if re.match(r"[\w.:]+\(", line) and re.search(options.only, line.partition("(")[0]):
            call = line.rstrip("\n").split(") -> ")[0]
            by_name[line.partition("(")[0]][call if call.endswith(")") else call + ")"] = None
    texts = [t for name in sorted(by_name) for t in rng.sample(sorted(by_name[name]), min(options.count, len(by_name[name])))]
    if options.kind == "sym-ints":
        texts = [t for t in texts if has_sym_ints(t)]
    subprocess.run([options.fakeprop, "--version"], check=True, stdout=subprocess.DEVNULL)
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(texts), BATCH):
            check_batch([(t, options.kind) for t in texts[start:start + BATCH]], options, folder, report, rng)
            print(f"{start + BATCH}/{len(texts)}", file=sys.stderr, flush=True)
    report.print()


def check_batch(batch, options, folder, report, rng):
    answered = [(job, answer) for job, answer in run_isolated(guarded_answer, batch) if answer is not None]
    for (text, _), answer in answered:
        if "bad" in answer:
            report.add("bad", text, answer["bad"])
    answered = [(job, answer) for job, answer in answered if "bad" not in answer]
    if not answered:
        return
    ours = our_answers(options.fakeprop, [j for j, _ in answered], [a for _, a in answered], folder)
    jobs = [(text, theirs, mine) for ((text, _), theirs), mine in zip(answered, ours)]
    points = [compared(text, theirs, mine, report, rng) for text, theirs, mine in jobs]
    ask_numbers(jobs, points, report, options.kind)


def compared(text, theirs, ours, report, rng):
    try:
        return compare(text, theirs, ours, report, rng)
    except Exception as e:  # an expression that this script cannot evaluate
        report.add("bad", text, repr(e))
        return []


def guarded_answer(job):
    try:
        return symbolic_answer(job)
    except Exception as e:  # no such operator here, or inputs that no ShapeEnv makes
        return {"bad": repr(e)}


if __name__ == "__main__":
    main()
