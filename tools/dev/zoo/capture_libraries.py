#!/usr/bin/env python3
"""Captures models of PyPI's libraries with random weights in every form, with PyTorch's answers; by hand.

    capture_libraries.py FOLDER [--only NAME,...] [--forms FORM,...] [--again] [--list]

Needs torch and the libraries of library_models.py; one that is not installed is left out. Each model runs in a process of its
own, with limits of time and memory. FOLDER gets a folder for each model and form: the graph and PyTorch's answers, or the reason
why there is none. What it has already is not made again, but with --again what has only a reason. NAME is a library, or
library.model. judge_libraries.py gives the graphs to fakeprop.
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

import library_captures  # noqa: E402
import library_models  # noqa: E402

SECONDS, MODEL_SECONDS, BYTES = 25, 900, 8 << 30  # of the processor for a form, of the clock for a model


class Late(Exception):
    pass


def late(*_):
    raise Late()


def capture_form(captures, form):
    """What PyTorch makes of one form, or the reason why it makes nothing."""
    start = time.time()
    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        capture = getattr(captures, form)() or {}
    except Late:
        capture = {"reason": f"PyTorch takes more than {SECONDS} s"}
    except BaseException as error:
        capture = {"reason": library_captures.first_line(error)}
    signal.setitimer(signal.ITIMER_PROF, 0)
    return capture | {"seconds": round(time.time() - start, 1)}


def run_model(entry, forms, folder):
    """In a child: what a model leaves behind in torch troubles no other."""
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    library, model = entry.name.split(".", 1)
    captures = library_captures.Captures(entry)
    if reason := capture_form(captures, "eager").get("reason"):
        print(entry.name, "does not run:", reason, flush=True)
        return
    for form in forms:
        captures.folder = folder_of(folder, entry, form)
        captures.folder.mkdir(parents=True, exist_ok=True)
        head = {"library": library, "version": library_models.version(library), "model": model, "form": form}
        capture = head | capture_form(captures, form)
        (captures.folder / "capture.json").write_text(json.dumps(capture, default=str))
        print(entry.name, form, capture.get("reason") or len(capture["eager"]), flush=True)


def folder_of(folder, entry, form):
    return folder / entry.name.replace("/", "_") / form


def warm_up():
    """Makes torch import and build what it does when it is first asked, so that not each child has to."""
    entry = library_models.Model("torch.Linear", lambda: torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)), lambda: (torch.randn(3, 2),))
    with tempfile.TemporaryDirectory() as folder:
        captures = library_captures.Captures(entry, pathlib.Path(folder))
        for form in library_captures.FORMS:
            capture_form(captures, form)
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


def is_due(path, again):
    """Whether a form is to be captured."""
    file = path / "capture.json"
    return not file.exists() or (again and "reason" in json.loads(file.read_text()))


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
        print(name, library_captures.first_line(error), flush=True)


def capture_all(options):
    torch.set_num_threads(1)
    entries = chosen(options.only, library_models.models())
    if options.list:
        print(*(entry.name for entry in entries), sep="\n")
        return
    warm_up()
    children = Children(options.jobs)
    for entry in entries:
        wanted = options.forms.split(",") if options.forms else library_captures.FORMS
        forms = [form for form in wanted if is_due(folder_of(options.folder, entry, form), options.again)]
        if forms:
            import_library(entry.name.split(".")[0])
            children.run(lambda: run_model(entry, forms, options.folder))
    children.wait(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--forms", default="")
    parser.add_argument("--jobs", type=int, default=1, help="how many models at a time")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--list", action="store_true")
    capture_all(parser.parse_args())


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main()
