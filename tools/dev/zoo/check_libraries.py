#!/usr/bin/env python3
"""Models of PyPI's libraries with random weights, in every form, against FakeTensorProp and eager; by hand.

    check_libraries.py FAKEPROP --results FILE [--only NAME,...] [--forms FORM,...] [--again] [--list]

Needs torch and the libraries of library_models.py; one that is not installed is left out. Each model runs in a process of its
own, with limits of time and memory. FILE gets one line of JSON for each model and form; what it has already is not run again,
but with --again what was wrong there. NAME is a library, or library.model. library_table.py makes docs/zoo.md of FILE.
"""

import argparse
import collections
import gc
import importlib
import json
import os
import pathlib
import resource
import signal
import sys
import tempfile
import time
import warnings

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "export")]

import library_forms  # noqa: E402
import library_models  # noqa: E402

SECONDS, MODEL_SECONDS, BYTES = 60, 1200, 8 << 30  # of the processor for a form, of the clock for a model


class Late(Exception):
    pass


def late(*_):
    raise Late()


def run_form(forms, form):
    """The line of one form. What PyTorch cannot capture has a reason in place of values."""
    start = time.time()
    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        result = getattr(forms, form)()
        result["verdict"] = "wrong" if result["wrong"] else "equal"
    except library_forms.Refused as error:
        result = {"verdict": "refused", "reason": str(error)}
    except Late:
        result = {"verdict": "none", "reason": f"PyTorch takes more than {SECONDS} s"}
    except BaseException as error:
        result = {"verdict": "none", "reason": library_forms.first_line(error)}
    signal.setitimer(signal.ITIMER_PROF, 0)
    return result | {"seconds": round(time.time() - start, 1)}


def run_model(fakeprop, entry, forms, results):
    """In a child: what a model leaves behind in torch troubles no other."""
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    library, model = entry.name.split(".", 1)
    with tempfile.TemporaryDirectory() as folder, open(results, "a") as out:
        runner = library_forms.Forms(fakeprop, entry, pathlib.Path(folder))
        for form in ["eager", *forms]:
            line = {"library": library, "version": library_models.version(library), "model": model, "form": form}
            line |= run_form(runner, form)
            print(entry.name, form, line["verdict"], detail(line), flush=True)
            if form != "eager":
                out.write(json.dumps(line) + "\n")
                out.flush()
            elif line["verdict"] == "none":
                return


def detail(line):
    """What matters most of a line, in short."""
    if line["verdict"] == "wrong":
        return json.dumps(line["wrong"][0])[:300]
    return line.get("values") or line.get("reason", "")[:300]


def warm_up():
    """Makes torch import and build what it does when it is first asked, so that not each child has to."""
    entry = library_models.Model("torch.Linear", lambda: torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)), lambda: (torch.randn(3, 2),))
    with tempfile.TemporaryDirectory() as folder:
        forms = library_forms.Forms("true", entry, pathlib.Path(folder))
        for form in library_forms.FORMS:
            run_form(forms, form)
    gc.freeze()


class Children:
    """Runs work in up to `count` processes at a time, and ends those that take too long."""

    def __init__(self, count):
        self.count, self.ends = count, {}

    def run(self, work):
        self.wait(self.count - 1)
        child = os.fork()
        if child == 0:
            try:
                work()
            finally:
                os._exit(0)
        self.ends[child] = time.time() + MODEL_SECONDS

    def wait(self, count):
        """Until at most `count` run."""
        while len(self.ends) > count:
            for child, end in list(self.ends.items()):
                if time.time() > end:
                    os.kill(child, signal.SIGKILL)
                if os.waitpid(child, os.WNOHANG)[0]:
                    del self.ends[child]
            time.sleep(0.05)


def known(results):
    """The last line for each model and form."""
    lines = pathlib.Path(results).read_text().splitlines() if os.path.exists(results) else []
    return {(line["library"], line["model"], line["form"]): line for line in map(json.loads, lines)}


def chosen(only, entries):
    """The entries of these names: the first of each library before the second of any."""
    names = only.split(",") if only else []
    counts, numbered = collections.Counter(), []
    for entry in entries:
        if not names or any(entry.name == name or entry.name.startswith(name + ".") for name in names):
            library = entry.name.split(".")[0]
            counts[library] += 1
            numbered.append((counts[library], entry))
    return [entry for _, entry in sorted(numbered, key=lambda pair: pair[0])]


def import_library(name):
    """Here, so that its models find it there. If it cannot be imported, each of them says so."""
    try:
        importlib.import_module(name)
    except Exception as error:
        print(name, library_forms.first_line(error), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fakeprop")
    parser.add_argument("--results", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--forms", default=",".join(library_forms.FORMS))
    parser.add_argument("--jobs", type=int, default=1, help="how many models at a time")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    entries = chosen(options.only, library_models.models())
    if options.list:
        print(*(entry.name for entry in entries), sep="\n")
        return 0
    torch.set_num_threads(1)
    warm_up()
    done, children = known(options.results), Children(options.jobs)
    for entry in entries:
        library, model = entry.name.split(".", 1)
        is_due = lambda line: line is None or (options.again and line["verdict"] in ("wrong", "refused"))
        forms = [form for form in options.forms.split(",") if is_due(done.get((library, model, form)))]
        if forms:
            import_library(library)
            children.run(lambda: run_model(options.fakeprop, entry, forms, options.results))
    children.wait(0)
    bad = [key for key, line in known(options.results).items() if line["verdict"] in ("wrong", "refused")]
    print(f"{len(bad)} forms wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    sys.exit(main())
