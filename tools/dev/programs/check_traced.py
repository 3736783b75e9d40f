#!/usr/bin/env python3
"""Traces random programs to TorchScript, and compares what fakeprop says of their results with TorchScript's interpreter.

  check_traced.py --fakeprop BIN [--seed 0] [--count 100] [--show N]

The steps that eager takes become the forward of a module, which returns up to 16 of their tensors. Compared are shape,
strides, dtype, offset, storage and requires_grad at the end of the program. A trace does not say all that the steps did: an
out tensor that was resized is none, and which overload is called is found anew when the module is loaded. So what counts
is what the module gives that was saved and loaded.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import warnings

import torch

import truth_path  # noqa: F401
from eager import Machine, Refused, function_of
from generate import Generator
from isolated import run_isolated
from judge import cause, differences
from program import Program, mapped
from templates import read_templates

MOST_RESULTS = 16
# A trace does not record them: grad mode is that of the time of tracing, and numbers become constants.
LEFT_OUT = ("torch._C.",)


def traceable(program, errors):
    """The program without steps that eager refuses."""
    steps = [s for s in program.steps if s.name not in errors and not s.target.startswith(LEFT_OUT)]
    return Program(program.inputs, steps)


def module_of(program):
    """A module whose forward runs the steps, and which returns the tensors among their results, by name."""
    names = []

    def run(values):
        for step in program.steps:
            args, kwargs = (mapped(v, lambda ref: values[ref.name]) for v in (step.args, step.kwargs))
            value = function_of(step.target)(*args, **kwargs)
            values[step.name] = list(value) if isinstance(value, (list, tuple)) else value
        names[:] = [s.name for s in program.steps if isinstance(values[s.name], torch.Tensor)][-MOST_RESULTS:]
        return tuple(values[name] for name in names)

    parameters = ", ".join(i.name for i in program.inputs)
    scope = {"run": run, "torch": torch}
    exec(f"class Traced(torch.nn.Module):\n  def forward(self, {parameters}):\n    return run(dict(locals()))\n", scope)
    return scope["Traced"](), names


def inputs_of(program):
    machine = Machine()
    for given in program.inputs:
        machine.add_input(given)
    return tuple(machine.values[i.name] for i in program.inputs)


def snapshots(names, results):
    machine = Machine()
    return {name: machine.snapshot(t) for name, t in zip(names, results)}


def annotated(binary, program, archive, names):
    """The values of the archive's results as nodes of these names; a string if the program ended badly."""
    folder = os.path.dirname(archive)
    spec, out = os.path.join(folder, "spec.json"), os.path.join(folder, "out.json")
    with open(spec, "w") as f:
        json.dump(program.spec(), f)
    version = ".".join(torch.__version__.split(".")[:2])
    done = subprocess.run([binary, archive, "--inputs", spec, "--torch", version, "--grad", "on", "--keep-going", "-o", out],
                          capture_output=True, text=True, timeout=60)
    if not os.path.exists(out):
        return f"status {done.returncode}: {done.stderr.strip()[:200]}"
    with open(out) as f:
        nodes = json.load(f)["nodes"]
    failed = next((n for n in nodes if "error" in n), None)
    if failed:
        return f"{failed['target']}: {failed['error'].get('message', '')[:150]}"
    values = nodes[-1]["meta"]["val"]
    return {name: {"meta": {"val": value}} for name, value in zip(names, values)}


def check(args, seed, templates, archive):
    """(the cause, what to print) of one seed; empty if all is as in eager. `archive`: where to save the module."""
    whole, (_, errors) = Generator(seed, templates).run()
    program = traceable(whole, errors)
    module, names = module_of(program)
    try:
        torch.jit.save(torch.jit.trace(module, inputs_of(program), check_trace=False), archive)
        with torch.jit.optimized_execution(False):
            truth = snapshots(names, torch.jit.load(archive)(*inputs_of(program)))
    except (RuntimeError, TypeError, AttributeError) as e:
        return ("not traced", str(e).strip().split("\n")[0][:60]), ""
    if not names:
        return ()
    nodes = annotated(args.fakeprop, program, archive, names)
    if isinstance(nodes, str):
        return ("fails", nodes.split(":")[0]), "\n    ".join([f"seed {seed}", *program.text(), f"-> {nodes}"])
    returned = Program([], [s for s in program.steps if s.name in names])
    found = next(iter(differences(returned, (truth, {}), nodes)), None)
    return (cause(program, found), "\n    ".join([f"seed {seed}", *program.text(), f"-> {found}"])) if found else ()


def outcome(args, seed, templates):
    try:
        with tempfile.TemporaryDirectory() as folder:
            return check(args, seed, templates, os.path.join(folder, "graph.pt"))
    except Refused:
        return None
    except Exception as e:  # the steps without those that failed may fail
        return ("not run", type(e).__name__), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--show", type=int, default=1, help="programs to print of each group")
    args = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    templates, groups, tally = read_templates(), collections.defaultdict(list), collections.Counter()
    for _, found in run_isolated(lambda s: outcome(args, s, templates), range(args.seed, args.seed + args.count)):
        tally["programs"] += 1
        if found is None:
            tally["crashed in eager"] += 1
        elif found:
            kind = found[0][0] if found[0][0] in ("not traced", "not run") else "differ"
            tally[kind] += 1
            groups[found[0]].append(found[1])
    for key, texts in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"\n{len(texts)}: {' | '.join(map(str, key))}")
        print("\n".join("  " + text for text in texts[:args.show] if text))
    print(", ".join(f"{kind} {count}" for kind, count in sorted(tally.items())))
    return tally["differ"] != 0


if __name__ == "__main__":
    sys.exit(main())
