"""Gives fakeprop what library_captures.py wrote of a model in one form, and compares. Needs no torch."""

import json
import pathlib
import re
import subprocess
import tempfile

import library_values as values


class Refused(Exception):
    """fakeprop ends with an error."""


def judge(fakeprop, folder):
    """The line of one form: its capture's head, and what fakeprop makes of it."""
    capture = json.loads((folder / "capture.json").read_text())
    head = {key: capture[key] for key in ("library", "version", "model", "form", "seconds")}
    if "reason" in capture:
        return head | {"verdict": "none", "reason": capture["reason"]}
    try:
        result = KINDS[capture["kind"]](fakeprop, folder, capture)
    except Refused as error:
        return head | {"verdict": "refused", "reason": str(error)}
    return head | result | {"verdict": "wrong" if result["wrong"] else "equal"}


def propagate(fakeprop, folder, capture, *more):
    options = [str(folder / option) if option.endswith(".json") else option for option in capture["options"]]
    with tempfile.TemporaryDirectory() as temporary:
        out = pathlib.Path(temporary) / "out.json"
        command = [fakeprop, str(folder / capture["graph"]), "-o", str(out), *options, *more]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        if run.returncode:
            raise Refused(run.stderr[:1500])
        return json.loads(out.read_text())["nodes"]


def graph(fakeprop, folder, capture):
    """Every value against FakeTensorProp's and eager's."""
    ours = values.by_name(propagate(fakeprop, folder, capture))
    result = values.outcome(ours, capture["fake"], capture["eager"], capture["note"])
    on_cpu = eager_on_cpu(folder, capture) if result["wrong"] else {}
    for row in result["wrong"]:
        row["on_cpu"] = on_cpu.get(row["node"])
    return result


def eager_on_cpu(folder, capture):
    """What eager gave for the nodes of the graph of which this one is the same on fake cuda."""
    path = folder.parent / {"cuda": "export", "joint_cuda": "joint"}.get(capture["form"], "none") / "capture.json"
    return json.loads(path.read_text()).get("eager", {}) if path.exists() else {}


def script(fakeprop, folder, capture):
    """Every tensor against a run. It ran without gradients, so requires_grad does not count."""
    ours = values.by_script_name(propagate(fakeprop, folder, capture))
    plain = lambda value: {key: item for key, item in value.items() if key != "requires_grad"} if isinstance(value, dict) else value
    ours, eager = ({name: plain(value) for name, value in those.items()} for those in (ours, capture["eager"]))
    result = values.outcome(ours, {}, eager)
    result["wrong"] += [{"node": name, "ours": None} for name in sorted(set(eager) - set(ours))[:3]]
    return result | {"values": len(eager)}


def dynamic(fakeprop, folder, capture):
    """Every value against what export recorded, and with the example's sizes against eager."""
    path = str(folder / capture["graph"])
    lint = subprocess.run([fakeprop, "lint", "--recorded", path], capture_output=True, text=True, check=False, timeout=300)
    ours, eager = at_hints(fakeprop, folder, capture), capture["eager"]
    result = values.outcome(ours, {}, eager) | {"values": capture["recorded"]}
    if lint.returncode:
        result["as_eager"] = as_eager(lint.stdout, ours, eager)
    if lint.returncode and not result["as_eager"]:
        result["wrong"].append({"node": "lint --recorded", "ours": (lint.stdout + lint.stderr)[:1500]})
    return result


def at_hints(fakeprop, folder, capture):
    """The values with the example's sizes; none where a number depends on data and has only a symbol."""
    try:
        return values.by_name(propagate(fakeprop, folder, capture, "--no-symbolic"))
    except Refused as refused:
        if "FP3010" in str(refused):
            return {}
        raise


def as_eager(findings, ours, eager):
    """The nodes of lint's findings, if all that it finds is records which eager does not agree with, and eager agrees with us."""
    nodes = set(re.findall(r"of `(\S+)` is .* but was recorded as", findings))
    wrong = values.differing(ours, eager)
    is_explained = nodes and findings.count("error[") == findings.count("error[FP4001]") and nodes <= set(ours) & set(eager) - wrong
    return [{"node": node, "ours": ours[node], "eager": eager[node]} for node in sorted(nodes)] if is_explained else []


KINDS = {"graph": graph, "script": script, "dynamic": dynamic}
