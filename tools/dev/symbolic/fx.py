"""Small graphs of torch.fx with their input specs, and what fakeprop says of them."""
import json, os, tempfile

from run import run, write_json


def aten(name):
    return "torch.ops.aten." + name


def argument(value):
    """`%x` is the node x, in lists and tuples too."""
    if isinstance(value, tuple):
        return {"tuple": [argument(item) for item in value]}
    if isinstance(value, list):
        return [argument(item) for item in value]
    return {"node": value[1:]} if isinstance(value, str) and value.startswith("%") else value


def nodes_of(nodes, inputs, result):
    """Placeholders, calls (name, target, args) and the output; an `.out` overload has its last argument by name."""
    rows = [{"name": name, "op": "placeholder", "target": name, "args": [], "kwargs": {}, "meta": {}} for name in inputs]
    for i, (name, target, *args) in enumerate(nodes):
        trace = f'  File "model.py", line {i + 1}, in forward\n    {name} = {target.split(".")[-1]}(...)\n'
        keywords = {"out": argument(args.pop())} if target.endswith(".out") else {}
        op = "get_attr" if target == "get_attr" else "call_function"
        rows.append({"name": name, "op": op, "target": args.pop() if op == "get_attr" else target,
                     "args": [argument(a) for a in args], "kwargs": keywords, "meta": {"stack_trace": trace}})
    return rows + [{"name": "output", "op": "output", "target": "output", "args": [argument(result)], "kwargs": {}, "meta": {}}]


def graph(inputs, result, *nodes):
    """A graph that a node of another one calls."""
    return {"nodes": nodes_of(nodes, inputs, result)}


def document(*nodes, inputs, graphs=None, attributes=None):
    return {"format": "fakeprop.fx/1", "nodes": nodes_of(nodes, inputs, "%" + nodes[-1][0]), "attributes": attributes or {},
            "modules": {}, "graphs": graphs or {}}


def input_spec(inputs, fields):
    """`inputs`: each a shape and a dtype, and more fields where there are any; `fields` stand beside them in the spec."""
    entries = {name: {"shape": shape, "dtype": dtype, **(more[0] if more else {})} for name, (shape, dtype, *more) in inputs.items()}
    return {"format": "fakeprop.inputs/1", **fields, "inputs": entries}


def annotate(binary, graph_document, *options, spec=None):
    """Annotations, exit status and messages of a document."""
    with tempfile.TemporaryDirectory() as folder:
        graph_file, spec_file = os.path.join(folder, "graph.json"), os.path.join(folder, "spec.json")
        write_json(graph_file, graph_document)
        if spec:
            write_json(spec_file, spec)
            options += ("--inputs", spec_file)
        status, out, err = run(binary, graph_file, *options)
    return json.loads(out), status, err


def values(annotations):
    return {n["name"]: n["meta"]["val"] for n in annotations["nodes"] if "meta" in n}
