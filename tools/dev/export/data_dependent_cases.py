"""Small models whose sizes depend on data: (module, example inputs, dynamic shapes or None) by name."""

import torch
from torch import nn
from torch.export import Dim

torch.manual_seed(0)  # of the inputs below
CASES = {}


def case(inputs, dynamic=None):
    """Registers a function as a model."""

    def register(function):
        class Model(nn.Module):
            def forward(self, *args):
                return function(*args)

        CASES[function.__name__] = (Model(), inputs, dynamic)
        return function

    return register


def ints(*values):
    return torch.tensor(values)


X = torch.arange(24.0).reshape(6, 4) - 7
MASK = ints(1, 0, 1, 1, 0, 1).bool()
BATCH = Dim("batch", min=2, max=64)


@case((X, torch.arange(12.0).reshape(4, 3), ints(0, 2, 1, 0, 2, 1)))
def moe_routing(tokens, gate, choice):
    out = torch.zeros(tokens.shape[0], 4)
    for expert in range(3):
        rows = (choice == expert).nonzero().squeeze(-1)
        picked = tokens[rows]
        weight = torch.softmax(picked @ gate, -1)[:, expert].unsqueeze(-1)
        out = out.index_add(0, rows, torch.relu(picked) * weight)
    return out


@case((X, torch.arange(12.0).reshape(4, 3)), ({0: BATCH}, None))
def moe_top_k_dynamic(tokens, gate):
    scores, choice = torch.topk(torch.softmax(tokens @ gate, -1), 2)
    token, slot = torch.where(choice == 1)
    picked = tokens[token] * scores[token, slot].unsqueeze(1)
    return torch.zeros_like(tokens).index_add_(0, token, picked)


@case((torch.rand(10, 4), torch.linspace(0, 1, 10)))
def nms_like(boxes, scores):
    keep = scores > 0.5
    boxes, scores = boxes[keep], scores[keep]
    order = torch.argsort(scores, descending=True)
    boxes = boxes[order]
    x1, y1, x2, y2 = boxes.unbind(1)
    area = (x2 - x1).clamp(min=0) * (y2 - y1).clamp(min=0)
    left = torch.maximum(x1[:, None], x1[None, :])
    right = torch.minimum(x2[:, None], x2[None, :])
    overlap = (right - left).clamp(min=0)
    suppressed = (overlap / (area[:, None] + area[None, :] + 1e-6)).triu(1).amax(1) > 0.7
    return boxes[~suppressed], scores


@case((X, ints(2, 1, 3)))
def ragged_split(x, lengths):
    a, b, c = lengths.tolist()
    for n in (a, b, c):
        torch._check(n >= 0)
    torch._check(a + b + c == 6)
    parts = torch.split(x, [a, b, c])
    return torch.stack([p.sum(0) for p in parts]), parts[1] * 2


@case((X, ints(0, 2, 3, 6)))
def ragged_pad(values, offsets):
    lengths = offsets[1:] - offsets[:-1]
    longest = lengths.max().item()
    torch._check(longest >= 0)
    positions = torch.arange(longest)
    mask = positions[None, :] < lengths[:, None]
    padded = torch.zeros(3, longest, 4)
    padded[mask] = values
    return padded, mask.sum(1)


@case((X, MASK))
def boolean_mask(x, mask):
    rows = x[mask]
    return rows, rows.sum(0), rows.t().contiguous(), rows.reshape(-1), x[:, mask[:4]]


@case((torch.arange(64.0).reshape(4, 4, 4), torch.eye(4).bool()))
def mask_of_two_dimensions(x, mask):
    return x[mask], x[:, mask], x.masked_select(mask), x.masked_fill(mask, 0.0)


@case((X, ints(3)))
def item_slice(x, n):
    k = n.item()
    torch._check(k >= 1)
    torch._check(k <= x.shape[0])
    head, tail = x[:k], x[k:]
    return head * 2, tail + 1, torch.cat([tail, head]), x.narrow(0, 0, k).mean(0)


@case((X, ints(3)))
def item_slice_unchecked(x, n):
    k = n.item()
    return x[:k], x[k:], x[0:k:2]


@case((X, ints(2)))
def item_select(x, n):
    k = n.item()
    return x[k], x.select(1, k) + 1


@case((X, ints(2)))
def item_select_checked(x, n):
    k = n.item()
    torch._check(k >= 0)
    torch._check(k < x.shape[0])
    return x[k] * 2, x.narrow(0, k, 1)


@case((ints(5), torch.tensor(0.5), torch.tensor(True)))
def item_factories(n, scale, flag):
    k = n.item()
    torch._check(k >= 2)
    base = torch.zeros(k, 3) + torch.ones(k, 1)
    grid = torch.arange(k * 2).view(k, 2)
    return base * scale.item(), grid, torch.full((k,), 1.5), torch.empty(2, k).fill_(1.0), torch.arange(1, k, 2)


@case((ints(5), ints(3)))
def two_items_related(n, m):
    a, b = n.item(), m.item()
    torch._check(a >= 2)
    torch._check(b >= 1)
    torch._check(b <= a)
    left, right = torch.ones(a, 2), torch.ones(b, 2)
    return torch.cat([left, right]), left[:b] + right, left @ right.t()


@case((ints(4), ints(4)))
def two_items_equal(n, m):
    a, b = n.item(), m.item()
    torch._check(a >= 0)
    torch._check(b >= 0)
    torch._check(a == b)
    return torch.ones(a, 3) + torch.zeros(b, 3), torch.ones(b)


@case((ints(3, 1, 3, 2, 1),))
def unique_values(x):
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    again = torch.unique(x)
    runs, lengths = torch.unique_consecutive(x, return_counts=True)
    return values[inverse] - x, counts.float() / x.shape[0], again, runs.repeat(2), lengths


@case((torch.tensor([[1, 2], [1, 2], [3, 4]]),))
def unique_rows(x):
    rows, inverse, counts = torch.unique(x, dim=0, return_inverse=True, return_counts=True)
    return rows * 2, inverse, counts.cumsum(0)


@case((X, ints(2, 0, 1, 3, 1, 1)))
def repeat_rows(x, repeats):
    rows = x.repeat_interleave(repeats, dim=0)
    index = torch.repeat_interleave(repeats)
    return rows.relu(), index, x[index] - rows, torch.arange(rows.shape[0])


@case((ints(1, 3, 1, 0), torch.rand(4)))
def bincounts(x, weights):
    return torch.bincount(x), torch.bincount(x, weights, minlength=3) * 2, torch.bincount(x, minlength=5)


@case((X,), ({0: BATCH},))
def nonzero_dynamic(x):
    rows, columns = torch.nonzero(x > 0, as_tuple=True)
    return x[rows, columns], rows * 4 + columns, torch.nonzero(x), torch.argwhere(x < 0).t()


@case((X,))
def nonzero_twice(x):
    positive = x > 0
    a, b = positive.nonzero(), positive.nonzero()
    c = x[positive]
    positive.logical_not_()
    return a + b, c * a[:, 0], positive.nonzero(), x.masked_select(positive)


@case((X, torch.tensor(True)))
def cond_on_data(x, flag):
    return torch.cond(flag, lambda t: t * 2, lambda t: t.sin() + 1, (x,))


@case((X, ints(3)))
def cond_on_item(x, n):
    k = n.item()
    return torch.cond(k > 2, lambda t: t + 1, lambda t: t - 1, (x,))


@case((X, MASK))
def cond_on_rows(x, mask):
    rows = x[mask]
    return torch.cond(rows.sum() > 0, lambda t: t.cos(), lambda t: t * 2, (rows,))


@case((torch.tensor(3), X))
def loop_on_data(n, x):
    def go_on(i, t):
        return i > 0

    def body(i, t):
        return i - 1, t * 2

    return torch._higher_order_ops.while_loop(go_on, body, (n, x))


# Integers that a loop changes, one of them by a size; what they are at the end is data. (A file holds no loop over integers
# beside tensors.)
@case((X,), ({0: BATCH},))
def loop_of_integers(x):
    def go_on(i, total):
        return i < 5

    def body(i, total):
        return i + 1, total + i

    i, total = torch._higher_order_ops.while_loop(go_on, body, (x.shape[1], x.shape[0]))
    return x + total, x.new_zeros(i, 2), i * 2


@case((X, MASK))
def layers_on_rows(x, mask):
    rows = x[mask]
    normal = torch.nn.functional.layer_norm(rows, (4,))
    attention = torch.softmax(normal @ normal.transpose(0, 1) / 2, -1)
    mixed = attention @ rows
    heads = mixed.view(-1, 2, 2).transpose(0, 1)
    return heads.reshape(2, -1), mixed.unsqueeze(0).expand(3, -1, -1), torch.nn.functional.pad(mixed, (0, 1))


@case((X, MASK))
def scatter_by_mask(x, mask):
    x = x.clone()
    rows = x[mask]
    x[mask] = rows * 2
    full = torch.zeros(6, 4).masked_scatter(mask[:, None], rows)
    positions = mask.nonzero()
    return x, full, torch.zeros(6).index_put((positions[:, 0],), torch.ones(1)), positions.flatten()


@case((X, ints(7)))
def arithmetic_on_items(x, n):
    k = n.item()
    torch._check(k > 0)
    torch._check(k <= 100)
    half = k // 2 + 1
    return torch.zeros(half, k % 4 + 1), torch.zeros(k * 3).view(3, k), torch.ones(min(k, 9)), x * k


@case((torch.tensor([1.5, 2.5]), ints(2)))
def float_items(x, n):
    a = x[0].item()
    return x * a, x + (a * 2.0), torch.full((2,), a), x * n.item()


@case((X, ints(2)))
def constrain_calls(x, n):
    k = n.item()
    torch._constrain_as_size(k, min=1, max=6)
    return x[:k], torch.zeros(k), torch.empty(k, 4).copy_(x[:k])


@case((X, MASK))
def rows_to_pairs(x, mask):
    rows = x[mask]
    count = rows.shape[0]
    left = rows.unsqueeze(1).expand(count, count, 4)
    right = rows.unsqueeze(0).expand(count, count, 4)
    return torch.cat([left, right], -1).reshape(count * count, 8), torch.stack([rows, rows])


@case((X, MASK, torch.rand(4, 5)))
def rows_through_layers(x, mask, weight):
    rows = x[mask]
    hidden = torch.nn.functional.linear(rows, weight.t())
    values, order = hidden.sort(dim=0)
    return (hidden.gather(0, order), values.cumsum(0), torch.where(hidden > 0, hidden, 0.0), hidden.argmax(1),
            hidden.std(0))


@case((torch.rand(2, 3, 8, 8), ints(1, 0).bool()))
def images_by_mask(images, keep):
    kept = images[keep]
    out = torch.nn.functional.conv2d(kept, torch.ones(4, 3, 3, 3), padding=1)
    return torch.nn.functional.max_pool2d(out, 2), out.mean((2, 3)), out.flatten(1)


@case((ints(4, 2, 5), torch.arange(20.0)))
def windows(bounds, x):
    start, size = bounds[0].item(), bounds[1].item()
    torch._check(start >= 0)
    torch._check(size >= 1)
    torch._check(start + size <= 20)
    return x.narrow(0, start, size), x[start:start + size] * 2, x.narrow(0, start, size).unsqueeze(0).repeat(2, 1)


@case((X, ints(0, 1, 1, 0, 2, 2)))
def group_means(x, group):
    count = group.max().item() + 1
    torch._check(count >= 1)
    sums = torch.zeros(count, 4).index_add(0, group, x)
    sizes = torch.bincount(group, minlength=1)
    return sums, torch.zeros(count).scatter_add(0, group, torch.ones(6)), sizes


@case((X,), ({0: BATCH},))
def rows_of_dynamic(x):
    rows = x[x.sum(1) > 0]
    return torch.cat([rows, x]), rows @ rows.t(), rows.mean(0, keepdim=True).expand_as(x)


@case((X, torch.tensor(True)))
def cond_sizes(x, flag):
    return torch.cond(flag, lambda t: t[:3].clone(), lambda t: t[1:].clone(), (x,))


@case((X, MASK))
def rows_embedding(x, mask):
    idx = mask.nonzero().squeeze(1)
    return (torch.nn.functional.embedding(idx, x), torch.nn.functional.one_hot(idx, 6), x.index_select(0, idx),
            torch.gather(x, 0, idx.unsqueeze(1).expand(-1, 4)), x.index_fill(0, idx, 0.0))


@case((X, MASK))
def rows_mlp_train(x, mask):
    r = x[mask]
    return (torch.nn.functional.dropout(r, 0.5, True), torch.nn.functional.gelu(r),
            torch.einsum('ij,kj->ik', r, r), torch.addmm(torch.zeros(3), r, torch.ones(4, 3)),
            torch.bmm(r.unsqueeze(0), r.t().unsqueeze(0)), torch.nn.functional.group_norm(r, 2))


@case((torch.rand(5, 7), ints(3)))
def topk_data(x, n):
    k = n.item()
    torch._check(k >= 1)
    torch._check(k <= 7)
    v, i = torch.topk(x, k, dim=1)
    return v, i, x.scatter(1, i, 0.0), v.sum(1)


@case((X, MASK))
def rows_inplace(x, mask):
    r = x[mask].clone()
    r.add_(1).mul_(2)
    r[:, 0] = 5.0
    out = torch.empty_like(r)
    out.copy_(r)
    return (out, r.new_zeros(r.shape), torch.full_like(r, 3.0), torch.zeros(r.shape[0], dtype=torch.long),
            r.t() + 1, r.chunk(2, 1), torch.meshgrid(r[:, 0], r[:, 1], indexing='ij'))


@case((X, MASK, MASK.logical_not()))
def two_masks(x, a, b):
    p, q = x[a], x[b]
    j = torch.cat([p, q], 0)
    d = (p[:, None, :] - q[None, :, :]).abs().sum(-1)
    return j, d, d.min(1).values, torch.vstack([p, q]), torch.stack([p.sum(0), q.sum(0)]), d.argmin(0)


@case((torch.arange(10.0), ints(7)))
def clamp_items(x, n):
    k = min(max(n.item(), 0), 10)
    return torch.zeros(k), x[:k]


@case((X, MASK))
def rows_where(x, mask):
    r = x[mask]
    i = torch.arange(r.shape[0])
    return (r.masked_fill(r > 0, 0.), r[r.sum(1) > 0], i.unsqueeze(1) * r.long(),
            torch.outer(i.float(), r[:, 0]), r.view(-1, 2), r.flatten(), (r.sum(1) > 0).any(), r.unbind(1))


@case((torch.rand(8, 4), torch.randint(0, 4, (8,))))
def moe_sort(x, choice):
    order = choice.argsort()
    counts = torch.bincount(choice, minlength=4)
    s = x[order]
    sizes = counts.tolist() if False else None
    return s, counts, counts.cumsum(0), torch.zeros(8, 4).index_copy(0, order, s)


@case((torch.rand(3, 5, 4), torch.rand(3, 5) > 0.4))
def padded_tokens(x, mask):
    t = x[mask]
    y = torch.nn.functional.linear(t, torch.ones(6, 4))
    out = torch.zeros(3, 5, 6)
    out[mask] = y
    b, p = mask.nonzero(as_tuple=True)
    return out, t.mean(0), x[b, p] - t, torch.zeros(3).index_add(0, b, torch.ones_like(b, dtype=torch.float))


@case((ints(3), ints(4)))
def tables_of_items(rows, columns):
    r, c = rows.item(), columns.item()
    torch._check(r >= 0)
    torch._check(c >= 0)
    table = torch.zeros(r, c)
    more = torch.ones(r, c, 2)
    return table.view(-1), (table + 1).flatten(), more.view(r, -1), more.flatten(0, 1), table.t().contiguous().view(-1)


@case((X, ints(2, 5)), ({0: BATCH}, None))
def columns_of_nonzero(x, limits):
    """The indices that nonzero gives are columns in memory: what elementwise operators and factories make of that."""
    i = (x > limits[0]).nonzero()
    c = i.t().contiguous()
    new = torch.zeros_like(i), torch.ones_like(i), torch.full_like(i, 3), torch.empty_like(i), torch.rand_like(i, dtype=torch.float)
    return (i * 2, i + i, -i, i == 0, torch.relu(i), torch.where(i > 0, i, 1), i.clamp(min=1), i // 2, i.float().exp(), i.clone(),
            i * i[:, :1], i + 1.5, c * 2, c + c, c.t() * 2, i.bool().logical_not(), i.double().lerp(i.double(), 0.5), *new,
            *i.sort(0), i.argsort(-1), i.flip(0), i.rot90(1, (0, 1)), i.cumsum(0))


@case((X, ints(2, 5)), ({0: BATCH}, None))
def selected_columns(x, limits):
    """A transposed selection is dense, whatever the number of columns: copies keep its strides."""
    t = x[:, x[0] > limits[0]].t()
    u = x.unsqueeze(2).expand(-1, -1, 3)[:, x[0] > limits[0]].transpose(0, 1)
    return t.clone(), t.half(), t.double().float(), t.index_fill(-1, ints(0), 1), t * 2, t.contiguous(), u.clone(), u.half(), u + u
