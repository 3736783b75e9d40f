"""Models that hold for all sizes of their inputs, and the same with the mistakes that people make.

CASES has, by name: the two forwards, the symbols, and each input's shape over them.
"""

import torch
import torch.nn.functional as F


def table(rows, width):
    return torch.zeros(rows, width)


def head(x):
    return x.reshape(x.size(0), -1)


def head_of_one_batch(x):
    return x.reshape(4, 24)


def pyramid(x, w):
    for _ in range(3):
        x = F.conv2d(x, w, stride=2, padding=1)
    return x


def pyramid_out_of_pixels(x, w):
    for _ in range(3):
        x = F.conv2d(x, w, stride=2)
    return x


def skip(x):
    y = F.max_pool2d(x, 2)
    return torch.cat((F.interpolate(y, size=(x.size(2), x.size(3))), x), 1)


def skip_off_by_one(x):
    y = F.max_pool2d(x, 2)
    return torch.cat((F.interpolate(y, scale_factor=2.0), x), 1)


def shifted(x, y):
    return torch.cat((x[:, 1:], y[:, 1:]), 0)


def shifted_once(x, y):
    return torch.cat((x[:, 1:], y), 0)


def heads(x):
    return x.view(x.size(0), x.size(1), 8, x.size(2) // 8).transpose(1, 2)


def positions(x, table):
    return x + table[: x.size(1)].sum(0)


def positions_beyond_the_table(x, table):
    return x + table[: x.size(1)]


def residual(x, w):
    return x + F.conv1d(x, w, padding=1)


def residual_without_padding(x, w):
    y = F.conv1d(x, w)
    return x[:, :, 2:] + F.conv1d(F.pad(y, (1, 1)), w, stride=1)


def windows(x):
    x = F.pad(x, (0, 0, 0, -x.size(1) % 4))
    return x.view(x.size(0), x.size(1) // 4, 4, x.size(2))


def windows_of_any_length(x):
    return x.view(x.size(0), x.size(1) // 4, 4, x.size(2))


def gate(x):
    half = x.size(1) // 2
    return x[:, :half] * x[:, half : 2 * half]


def gate_of_odd_widths(x):
    a, b = x.chunk(2, dim=1)
    return a * b


def pooled(x):
    return F.adaptive_avg_pool2d(x, 1).flatten(1)


def pooled_by_seven(x):
    return F.avg_pool2d(x, 7).flatten(1)


def frames(x):
    return F.pad(x, (0, 4)).unfold(1, 4, 2)


def frames_of_short_input(x):
    return x.unfold(1, 4, 2)


def biased(x, b):
    return x + b.expand(x.size(0), -1)


def biased_for_four(x, b):
    return x + b.expand(4, -1)


def pairs(x):
    return x.reshape(-1, 2, x.size(1))


def pairs_of_odd_batch(x):
    return x.reshape(-1, 2, x.size(1))


def first_five(x):
    return x[:, 2:7].sum(1)


def first_five_narrowed(x):
    return x.narrow(1, 2, 5).sum(1)


BATCH = {"batch": {"min": 1, "max": 64, "hint": 4}}
IMAGE = {**BATCH, "h": {"min": 8, "max": 256, "hint": 64}, "w": {"min": 8, "max": 256, "hint": 48}}
TEXT = {"batch": {"hint": 4}, "seq": {"min": 1, "hint": 12}}

CASES = {
    "head": (head, head_of_one_batch, BATCH, {"x": ["batch", 3, 8]}),
    "pyramid": (pyramid, pyramid_out_of_pixels, IMAGE, {"x": ["batch", 3, "h", "w"], "w": [3, 3, 3, 3]}),
    "skip": (skip, skip_off_by_one, IMAGE, {"x": ["batch", 3, "h", "w"]}),
    "shifted": (shifted, shifted_once, {**TEXT, "seq": {"min": 2, "hint": 2, "max": 99}},
                {"x": ["batch", "seq"], "y": ["batch", "seq"]}),
    "heads": (heads, None, {**TEXT, "width": {"min": 8, "multiple_of": 8, "hint": 64}}, {"x": ["batch", "seq", "width"]}),
    "heads_do_not_divide": (None, heads, {**TEXT, "width": {"min": 8, "hint": 64}}, {"x": ["batch", "seq", "width"]}),
    "positions": (positions, positions_beyond_the_table, TEXT, {"x": ["batch", "seq", 6], "table": [16, 6]}),
    "residual": (residual, residual_without_padding, TEXT, {"x": ["batch", 3, "seq"], "w": [3, 3, 3]}),
    "windows": (windows, windows_of_any_length, TEXT, {"x": ["batch", "seq", 6]}),
    "gate": (gate, gate_of_odd_widths, {**BATCH, "width": {"min": 2, "hint": 16}}, {"x": ["batch", "width"]}),
    "pooled": (pooled, pooled_by_seven, {**IMAGE, "h": {"min": 4, "hint": 28}}, {"x": ["batch", 3, "h", "w"]}),
    "frames": (frames, frames_of_short_input, TEXT, {"x": ["batch", "seq"]}),
    "biased": (biased, biased_for_four, BATCH, {"x": ["batch", 8], "b": [8]}),
    "pairs": (pairs, None, TEXT, {"x": ["2*batch", "seq"]}),
    "pairs_of_odd_batch": (None, pairs_of_odd_batch, TEXT, {"x": ["batch", "seq"]}),
    "first_five": (first_five, first_five_narrowed, TEXT, {"x": ["batch", "seq", 3]}),
}
