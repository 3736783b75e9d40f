"""Rules for other packages and repositories."""

def fakeprop_test(name, graph, inputs = None, golden = None, rules = {}, config = None, args = [], data = [], **kwargs):
    """Fails if `fakeprop lint` finds something in a graph.

    The test reads nothing but the files that are named here, so Bazel caches its result. A fakeprop.toml counts only as
    `config`. The log has the findings as text; test.xml has a case for each.

    Args:
      name: of the test.
      graph: the file of the graph.
      inputs: an input spec (`--inputs`).
      golden: annotations to compare with (`--golden`). Update them with `fakeprop lint GRAPH --golden FILE --update-golden`.
      rules: the levels of lint rules by code: {"FP8003": "off", "FP8001": "error"}.
      config: a fakeprop.toml.
      args: further options of `fakeprop lint`.
      data: further files that the options name.
      **kwargs: as of every test: size, tags ...
    """
    options = ["--config $(rootpath %s)" % config] if config else ["--no-config"]
    options += ["--inputs $(rootpath %s)" % inputs] if inputs else []
    options += ["--golden $(rootpath %s)" % golden] if golden else []
    options += ["--rule %s=%s" % (code, rules[code]) for code in sorted(rules)]
    fakeprop = str(Label("//tools:fakeprop"))
    native.sh_test(
        name = name,
        size = kwargs.pop("size", "small"),
        srcs = [str(Label("//tools/ci:lint_test.sh"))],
        args = ["$(rootpath %s)" % fakeprop, "$(rootpath %s)" % graph] + options + args,
        data = [fakeprop, graph] + [file for file in [inputs, golden, config] if file] + data,
        **kwargs
    )
