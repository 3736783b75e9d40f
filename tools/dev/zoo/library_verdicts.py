"""Why a value of check_libraries.py's results differs from eager, where that is as it should be."""

TORCH = "2.13.0"


def reason(line, row):
    """The explanation of a row of `wrong`, or of a refusal (no row)."""
    for applies, text in REASONS:
        if applies(line, row):
            return text
    return None


def depends_on_data(line, row):
    return line["verdict"] == "refused" and ("FP3010" in line["reason"] or "FP3011" in line["reason"])


def leaves(value):
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, list) else [value]


def is_workspace(line, row):
    """Whether eager differs in tensors of bytes of one dimension alone."""
    if not row or not row.get("eager") or not row.get("ours"):
        return False
    plain = lambda t: {k: v for k, v in t.items() if k not in ("storage", "value")} if isinstance(t, dict) else t
    differing = [(a, b) for a, b in zip(leaves(row["ours"]), leaves(row["eager"])) if plain(a) != plain(b)]
    return bool(differing) and all(t.get("dtype") == "uint8" and len(t["shape"]) == 1 for pair in differing for t in pair)


def is_angle_on_cuda(line, row):
    """Whether all that differs is the layout of angle, where eager was not asked."""
    if line["form"] != "cuda" or not row or not row["node"].startswith("angle") or not row.get("fake"):
        return False
    plain = lambda t: {k: v for k, v in t.items() if k not in ("storage", "value", "stride")}
    return plain(row["ours"]) == plain(row["fake"])


REASONS = [
    (is_angle_on_cuda, "`angle` of complex tensors that are not contiguous. The kernel, which cpu and cuda share, makes a contiguous tensor, as eager shows on the cpu. No GPU was asked."),
    (is_workspace, "The workspace that oneDNN's recurrent layers hand to their backward: oneDNN alone knows its size. As FakeTensorProp, we say 0 bytes."),
    (depends_on_data, "A size depends on data. Our answer is the error FP3010 or FP3011, which says which data; FakeTensorMode without symbols raises as well."),
]
