"""Assertions for tests of models.

    from fakeprop.testing import assert_propagates

    def test_shapes():
        annotations = assert_propagates(program, {"inputs": {"x": {"shape": ["batch", 3, 224, 224]}}})
        assert annotations["linear"].value.shape == ("batch", 1000)
"""

from fakeprop._program import PropagationError, UsageError
from fakeprop._propagate import propagate, prove


def assert_propagates(graph, inputs=None, *, options=()):
    """Fails with the diagnostics if a node of the graph has an error; returns the annotations.

    `graph`, `inputs` and `options` are as in fakeprop.propagate.
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    try:
        return propagate(graph, inputs, options=options)
    except (PropagationError, UsageError) as error:
        raise AssertionError(error.diagnostics or str(error)) from None


def assert_proved(graph, inputs=None, *, options=()):
    """Fails if it was not shown that the graph propagates for all sizes of the spec's symbols; returns the verdict.

    `graph`, `inputs` and `options` are as in fakeprop.prove.
    """
    __tracebackhide__ = True
    try:
        verdict = prove(graph, inputs, options=options)
    except UsageError as error:
        raise AssertionError(error.diagnostics or str(error)) from None
    if verdict["verdict"] != "proved":
        raise AssertionError(_describe(verdict))
    return verdict


def _describe(verdict):
    if verdict["verdict"] == "not proved":
        return f"not proved: {verdict.get('reason', '')}"
    point = ", ".join(f"{symbol} = {size}" for symbol, size in verdict["point"].items()) or "the recorded sizes"
    if error := verdict.get("error"):
        return f"counterexample: {point}: node `{error['node']}` fails: {error['code']}: {error['message']}"
    return f"counterexample: {point} violates {verdict['violated']}"
