"""Values of expressions in Python: those that torch.export records, those that fakeprop prints, SymPy's plain infix."""
import math

# Functions of SymPy, of torch's and of fakeprop's printer.
FUNCTIONS = {
    "Integer": int, "Float": lambda x, *_, **__: float(x), "Add": lambda *a: sum(a), "Mul": lambda *a: math.prod(a),
    "Pow": pow, "PowByNatural": pow, "FloatPow": pow, "Identity": lambda a: a, "Max": max, "Min": min, "Abs": abs,
    "FloorDiv": lambda a, b: a // b, "CleanDiv": lambda a, b: a // b, "CeilDiv": lambda a, b: -(-a // b),
    "Mod": lambda a, b: a % b, "PythonMod": lambda a, b: a % b, "IntTrueDiv": lambda a, b: a / b, "FloatTrueDiv": lambda a, b: a / b,
    "ToFloat": float, "TruncToInt": math.trunc, "CeilToInt": math.ceil, "FloorToInt": math.floor, "RoundToInt": round,
    "floor": math.floor, "ceiling": math.ceil, "sqrt": math.sqrt, "OpaqueUnaryFn_sqrt": math.sqrt, "OpaqueUnaryFn_log2": math.log2,
    "Eq": lambda a, b: a == b, "Ne": lambda a, b: a != b, "Equality": lambda a, b: a == b, "Unequality": lambda a, b: a != b,
    "LessThan": lambda a, b: a <= b, "GreaterThan": lambda a, b: a >= b, "StrictLessThan": lambda a, b: a < b,
    "StrictGreaterThan": lambda a, b: a > b, "Not": lambda a: not a, "Or": lambda *a: any(a), "And": lambda *a: all(a),
    "Where": lambda c, a, b: a if c else b, "Piecewise": lambda *pairs: next(v for v, c in pairs if c), "true": True, "false": False,
    "inf": math.inf, "int_oo": math.inf, "nan": math.nan, "zoo": math.nan}


def value_at(text, point):
    """The value where the symbols have these values. None stays None."""
    if text is None:
        return None
    return eval(text, {"__builtins__": {}}, {**FUNCTIONS, "Symbol": lambda name, **_: point[name], **point})
