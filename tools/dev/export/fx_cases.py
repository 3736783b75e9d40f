"""Modules of torch.nn with inputs, and the models of graphs/: what FX JSON is tested with."""

import importlib
import pathlib
from math import floor
from operator import setitem
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

torch.fx.wrap("len")  # so that symbolic_trace leaves them as calls
torch.fx.wrap("floor")
torch.fx.wrap("setitem")

ROOT = pathlib.Path(__file__).resolve().parents[3]


def f(*shape):
    return torch.zeros(shape)


def long(*shape, value=1):
    return torch.full(shape, value, dtype=torch.int64)


# Models of graphs/ whose Python can be traced symbolically.
SYMBOLIC_MODELS = ["graph_network", "lstm_tagger", "mixed_precision", "resnet_small", "unet", "vision_transformer"]


def modules():
    """Name, module and positional inputs of each case."""
    yield from layers()
    yield from losses()
    yield from recurrent()
    yield from transformers()
    yield from parametrized()


def parametrized():
    """Modules whose class torch makes anew, for weights that are computed."""
    wrap = nn.utils.parametrizations
    yield "weight_norm", wrap.weight_norm(nn.Conv1d(4, 6, 4, padding=2, groups=2), dim=2), (f(2, 4, 9),)
    yield "spectral_norm", wrap.spectral_norm(nn.Linear(8, 4)), (f(3, 8),)
    yield "orthogonal", wrap.orthogonal(nn.Linear(5, 5, bias=False)).eval(), (f(3, 5),)


def layers():
    yield "linear", nn.Linear(8, 4), (f(2, 3, 8),)
    yield "linear_no_bias", nn.Linear(8, 4, bias=False, dtype=torch.float64), (f(8).double(),)
    yield "bilinear", nn.Bilinear(4, 5, 3), (f(2, 4), f(2, 5))
    yield "identity", nn.Identity(), (f(2, 3),)
    yield "conv1d", nn.Conv1d(4, 6, 3, padding="same"), (f(2, 4, 9),)
    yield "conv2d", nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, groups=2), (f(2, 4, 9, 8).to(memory_format=torch.channels_last),)
    yield "conv2d_circular", nn.Conv2d(4, 6, 3, padding=(1, 2), padding_mode="circular"), (f(4, 9, 8),)
    yield "conv3d", nn.Conv3d(2, 3, 3, dilation=(1, 2, 1), bias=False), (f(1, 2, 6, 7, 8),)
    yield "conv_transpose1d", nn.ConvTranspose1d(4, 6, 3, stride=2), (f(2, 4, 9),)
    yield "conv_transpose2d", nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1, groups=2), (f(2, 4, 5, 5),)
    yield "conv_transpose3d", nn.ConvTranspose3d(2, 4, 2), (f(1, 2, 3, 4, 5),)
    for training in (True, False):
        mode = "train" if training else "eval"
        yield f"batch_norm1d_{mode}", nn.BatchNorm1d(4).train(training), (f(3, 4),)
        yield f"batch_norm2d_{mode}", nn.BatchNorm2d(4, affine=False).train(training), (f(3, 4, 5, 6),)
        yield f"batch_norm3d_{mode}", nn.BatchNorm3d(4, track_running_stats=False, momentum=None).train(training), (f(3, 4, 5, 6, 2),)
        yield f"instance_norm_{mode}", nn.InstanceNorm2d(4, affine=True, track_running_stats=True).train(training), (f(4, 5, 6),)
        yield f"dropout_{mode}", nn.Dropout(0.3).train(training), (f(3, 4),)
        yield f"dropout1d_{mode}", nn.Dropout1d(0.3).train(training), (f(3, 4),)
        yield f"dropout2d_{mode}", nn.Dropout2d(0.3, inplace=True).train(training), (f(3, 4, 2, 2),)
        yield f"dropout3d_{mode}", nn.Dropout3d(0.3).train(training), (f(3, 4, 2, 2, 2),)
        yield f"alpha_dropout_{mode}", nn.AlphaDropout(0.3).train(training), (f(3, 4),)
        yield f"feature_alpha_dropout_{mode}", nn.FeatureAlphaDropout(0.3).train(training), (f(3, 4, 2),)
        yield f"rrelu_{mode}", nn.RReLU().train(training), (f(3, 4).t(),)
    yield "layer_norm", nn.LayerNorm((4, 5), bias=False), (f(2, 3, 4, 5),)
    yield "rms_norm", nn.RMSNorm(5), (f(2, 3, 5),)
    yield "group_norm", nn.GroupNorm(2, 4), (f(2, 4, 5),)
    yield "local_response_norm", nn.LocalResponseNorm(3), (f(2, 4, 5, 6),)
    yield "local_response_norm1d", nn.LocalResponseNorm(2), (f(2, 4, 5),)
    yield "embedding", nn.Embedding(10, 4, padding_idx=-1), (long(2, 3),)
    yield "embedding_renorm", nn.Embedding(10, 4, max_norm=1.0), (long(2, 3),)
    yield "embedding_bag", nn.EmbeddingBag(10, 4), (long(2, 3),)
    yield "embedding_bag_offsets", nn.EmbeddingBag(10, 4, mode="max"), (long(6), torch.tensor([0, 2, 4]))
    yield "embedding_bag_weights", nn.EmbeddingBag(10, 4, mode="sum", include_last_offset=True), (long(6), torch.tensor([0, 2, 6]), f(6))
    for kind in (nn.ReLU, nn.ReLU6, nn.ELU, nn.CELU, nn.SELU, nn.SiLU, nn.Mish, nn.Hardsigmoid, nn.Hardswish, nn.Hardtanh, nn.LeakyReLU):
        yield kind.__name__.lower(), kind(), (f(3, 4).t(),)
        yield f"{kind.__name__.lower()}_inplace", kind(inplace=True), (f(3, 4),)
    for kind in (nn.GELU, nn.Hardshrink, nn.LogSigmoid, nn.LogSoftmax, nn.Sigmoid, nn.Softmax, nn.Softmin, nn.Softplus,
                 nn.Softshrink, nn.Softsign, nn.Tanh, nn.Tanhshrink):
        yield kind.__name__.lower(), kind(), (f(3, 4).t(),)
    yield "gelu_tanh", nn.GELU("tanh"), (f(3, 4),)
    yield "glu", nn.GLU(0), (f(4, 3),)
    yield "softmax2d", nn.Softmax2d(), (f(2, 3, 4, 5),)
    yield "threshold", nn.Threshold(0.1, 20), (f(3, 4),)
    yield "prelu", nn.PReLU(4), (f(3, 4, 2),)
    yield "avg_pool1d", nn.AvgPool1d(2), (f(2, 3, 8),)
    yield "avg_pool2d", nn.AvgPool2d((2, 3), stride=1, ceil_mode=True, divisor_override=2), (f(3, 8, 8),)
    yield "avg_pool3d", nn.AvgPool3d(2, padding=1, count_include_pad=False), (f(2, 3, 8, 8, 4),)
    yield "max_pool1d", nn.MaxPool1d(2, return_indices=True), (f(2, 3, 8),)
    yield "max_pool2d", nn.MaxPool2d(3, stride=2, padding=1, ceil_mode=True), (f(2, 3, 8, 8).to(memory_format=torch.channels_last),)
    yield "max_pool2d_indices", nn.MaxPool2d(3, dilation=2, return_indices=True), (f(2, 3, 8, 8),)
    yield "max_pool3d", nn.MaxPool3d(2), (f(2, 3, 4, 4, 4),)
    yield "max_unpool1d", nn.MaxUnpool1d(2), (f(2, 3, 4), long(2, 3, 4))
    yield "max_unpool2d", nn.MaxUnpool2d(2, stride=2), (f(2, 3, 4, 4), long(2, 3, 4, 4))
    yield "max_unpool3d", nn.MaxUnpool3d(2), (f(2, 3, 4, 4, 2), long(2, 3, 4, 4, 2))
    yield "lp_pool1d", nn.LPPool1d(2, 3), (f(2, 3, 8),)
    yield "lp_pool2d", nn.LPPool2d(1.5, (2, 3), stride=2), (f(2, 3, 8, 8),)
    yield "lp_pool3d", nn.LPPool3d(float("inf"), 2), (f(2, 3, 4, 4, 4),)
    yield "fractional_max_pool2d", nn.FractionalMaxPool2d(2, output_size=(3, 4)), (f(2, 3, 8, 8),)
    yield "fractional_max_pool3d", nn.FractionalMaxPool3d(2, output_ratio=0.5, return_indices=True), (f(2, 3, 8, 8, 8),)
    yield "adaptive_avg_pool1d", nn.AdaptiveAvgPool1d(3), (f(2, 3, 8),)
    yield "adaptive_avg_pool2d", nn.AdaptiveAvgPool2d((None, 3)), (f(2, 3, 8, 8),)
    yield "adaptive_avg_pool3d", nn.AdaptiveAvgPool3d(1), (f(2, 3, 8, 8, 8),)
    yield "adaptive_max_pool1d", nn.AdaptiveMaxPool1d(3, return_indices=True), (f(2, 3, 8),)
    yield "adaptive_max_pool2d", nn.AdaptiveMaxPool2d((3, None)), (f(2, 3, 8, 8),)
    yield "adaptive_max_pool3d", nn.AdaptiveMaxPool3d(2), (f(2, 3, 8, 8, 8),)
    for dims, shape in ((1, (2, 3, 6)), (2, (2, 3, 6, 5)), (3, (2, 3, 6, 5, 4))):
        yield f"constant_pad{dims}d", getattr(nn, f"ConstantPad{dims}d")(2, 1.5), (f(*shape),)
        for kind in ("Zero", "Reflection", "Replication", "Circular"):
            pad = tuple(range(1, dims + 1)) * 2 if dims > 1 else (1, 2)
            yield f"{kind.lower()}_pad{dims}d", getattr(nn, f"{kind}Pad{dims}d")(pad), (f(*shape),)
    yield "flatten", nn.Flatten(), (f(2, 3, 4),)
    yield "unflatten", nn.Unflatten(1, (2, -1)), (f(2, 6, 4),)
    yield "pixel_shuffle", nn.PixelShuffle(2), (f(2, 8, 3, 4),)
    yield "pixel_unshuffle", nn.PixelUnshuffle(2), (f(2, 2, 6, 4),)
    yield "channel_shuffle", nn.ChannelShuffle(2), (f(2, 4, 3, 3),)
    yield "cross_map_lrn", nn.CrossMapLRN2d(2), (f(2, 4, 3, 3),)
    yield "linear_cross_entropy", nn.LinearCrossEntropyLoss(4, 6, bias=True), (f(3, 4), long(3))
    yield "linear_cross_entropy_none", nn.LinearCrossEntropyLoss(4, 6, out_features=(2, 2), reduction="none"), (f(3, 4), long(3, 2, 2))
    yield "fold", nn.Fold((4, 5), 2), (f(2, 12, 12),)
    yield "unfold", nn.Unfold(2, padding=1), (f(2, 3, 4, 5),)
    for mode, shape in (("nearest", (2, 3, 4)), ("nearest-exact", (2, 3, 4, 5)), ("linear", (2, 3, 4)), ("bilinear", (2, 3, 4, 5)),
                        ("bicubic", (2, 3, 4, 5)), ("trilinear", (2, 3, 4, 5, 6)), ("area", (2, 3, 4, 5))):
        yield f"upsample_{mode.replace('-', '_')}", nn.Upsample(scale_factor=1.5, mode=mode), (f(*shape),)
    yield "upsample_size", nn.Upsample((7, 9), mode="bilinear", align_corners=True), (f(2, 3, 4, 5).to(memory_format=torch.channels_last),)
    yield "upsampling_nearest2d", nn.UpsamplingNearest2d(scale_factor=2), (f(2, 3, 4, 5),)
    yield "upsampling_bilinear2d", nn.UpsamplingBilinear2d(8), (f(2, 3, 4, 5),)
    yield "cosine_similarity", nn.CosineSimilarity(dim=1), (f(2, 3, 4), f(2, 3, 4))
    yield "pairwise_distance", nn.PairwiseDistance(p=1, keepdim=True), (f(2, 3), f(2, 3))


def lazy():
    """Modules that have no sizes yet. FakeTensorProp cannot run them, so the modules that they become give the answers."""
    yield "lazy_linear", nn.LazyLinear(4), (f(2, 3),)
    yield "lazy_conv1d", nn.LazyConv1d(6, 3), (f(2, 4, 9),)
    yield "lazy_conv2d", nn.LazyConv2d(6, 3, stride=2, bias=False), (f(4, 9, 9),)
    yield "lazy_conv3d", nn.LazyConv3d(6, 3, padding=1), (f(2, 4, 5, 5, 5),)
    yield "lazy_conv_transpose2d", nn.LazyConvTranspose2d(6, 3, stride=2), (f(2, 4, 5, 5),)
    yield "lazy_batch_norm2d", nn.LazyBatchNorm2d(), (f(2, 4, 5, 5),)
    yield "lazy_instance_norm1d", nn.LazyInstanceNorm1d(affine=True), (f(2, 4, 5),)


def losses():
    x, y, z = f(3, 5), f(3, 5), f(3, 5)
    for reduction in ("none", "mean", "sum"):
        for kind in (nn.L1Loss, nn.MSELoss, nn.SmoothL1Loss, nn.HuberLoss, nn.KLDivLoss, nn.BCELoss, nn.BCEWithLogitsLoss,
                     nn.PoissonNLLLoss, nn.SoftMarginLoss, nn.MultiLabelSoftMarginLoss, nn.HingeEmbeddingLoss):
            yield f"{kind.__name__.lower()}_{reduction}", kind(reduction=reduction), (x, y)
        yield f"cross_entropy_{reduction}", nn.CrossEntropyLoss(weight=f(5), reduction=reduction, label_smoothing=0.1), (x, long(3))
        yield f"nll_{reduction}", nn.NLLLoss(reduction=reduction), (f(3, 5, 4), long(3, 4))
        yield f"triplet_margin_{reduction}", nn.TripletMarginLoss(reduction=reduction, swap=True), (x, y, z)
        yield f"triplet_distance_{reduction}", nn.TripletMarginWithDistanceLoss(reduction=reduction), (x, y, z)
        yield f"cosine_embedding_{reduction}", nn.CosineEmbeddingLoss(reduction=reduction), (x, y, f(3))
        yield f"margin_ranking_{reduction}", nn.MarginRankingLoss(reduction=reduction), (f(3), f(3), f(3))
        yield f"multi_margin_{reduction}", nn.MultiMarginLoss(reduction=reduction), (x, long(3))
        yield f"multi_label_margin_{reduction}", nn.MultiLabelMarginLoss(reduction=reduction), (x, long(3, 5))
    yield "kl_div_batchmean", nn.KLDivLoss(reduction="batchmean", log_target=True), (x, y)
    yield "bce_weighted", nn.BCELoss(weight=f(5)), (x, y)


def recurrent():
    yield "lstm", nn.LSTM(4, 6, num_layers=2, bidirectional=True), (f(5, 3, 4),)
    yield "lstm_proj", nn.LSTM(4, 6, proj_size=3, batch_first=True), (f(3, 5, 4),)
    yield "lstm_unbatched", nn.LSTM(4, 6), (f(5, 4), (f(1, 6), f(1, 6)))
    yield "gru", nn.GRU(4, 6, batch_first=True, dropout=0.2, num_layers=2), (f(3, 5, 4), f(2, 3, 6))
    yield "rnn", nn.RNN(4, 6, nonlinearity="relu", bias=False), (f(5, 3, 4),)
    yield "lstm_cell", nn.LSTMCell(4, 6), (f(3, 4),)
    yield "lstm_cell_unbatched", nn.LSTMCell(4, 6), (f(4), (f(6), f(6)))
    yield "gru_cell", nn.GRUCell(4, 6), (f(3, 4), f(3, 6))
    yield "rnn_cell", nn.RNNCell(4, 6, nonlinearity="relu", bias=False), (f(4),)


def transformers():
    mask = torch.zeros(5, 5, dtype=torch.bool)
    yield "multihead_attention", nn.MultiheadAttention(8, 2), (f(5, 3, 8), f(5, 3, 8), f(5, 3, 8))
    yield "multihead_attention_kdim", nn.MultiheadAttention(8, 2, kdim=4, vdim=6, batch_first=True), (f(3, 5, 8), f(3, 7, 4), f(3, 7, 6))
    yield "multihead_attention_extras", nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True, bias=False), (f(5, 8), f(6, 8), f(6, 8))
    yield "encoder_layer", nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (f(3, 5, 8), mask)
    yield "encoder_layer_gelu", nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", norm_first=True, bias=False), (f(5, 3, 8),)
    yield "decoder_layer", nn.TransformerDecoderLayer(8, 2, 16), (f(5, 3, 8), f(6, 3, 8), mask)
    yield "encoder", nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2, norm=nn.LayerNorm(8)), (f(5, 3, 8),)
    yield "decoder", nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), 2), (f(3, 5, 8), f(3, 6, 8))
    yield "transformer", nn.Transformer(8, 2, 1, 2, 16), (f(5, 3, 8), f(6, 3, 8))


class Operators(nn.Module):
    """Python's operators and builtins on tensors, numbers and tuples."""

    def forward(self, x, i, b):
        y = x + 1 + x - 2.5 + (1 - x) * 3 / x - 2 / x
        y = -y + (+x) + abs(x) + x**2 + 2**x + x % 3 + x // 2
        y += 1
        y *= x
        y = y * (x > 0) * (1 >= x) + (x == x) + (x != 1)
        z = (i & 3) | (i ^ 1) | ~i | (i << 1) | (i >> 1) | (1 + i)
        m = ~b & (b | b) ^ b
        rows, columns = x.shape[0], x.size(1)
        w = x.view(columns, rows * 1) @ x + floor(columns / 2) + x.shape[-1] // 2 + len(x.shape)
        head = x[0], x[..., None, 1:], x[:, ::2], x[None, 0, -1], x[-1:, 1], x[i], x[:, i], x[[0, 1]], x[True], x[..., 0]
        setitem(x, 0, 1.5)
        setitem(x, (slice(None), slice(1, None)), y[:, 1:])
        setitem(x, i, 0)
        return y, z, m, w, head, rows + columns, x.dtype, x.device, x.ndim, x.T, x.mT, x.data, x.requires_grad, x.is_cuda


class Methods(nn.Module):
    """Methods of torch.Tensor as models call them."""

    def forward(self, x, i, mask):
        a = x.view(2, -1).reshape(x.size(0), -1).permute(1, 0).contiguous().transpose(0, 1)
        b = x.unsqueeze(0).expand(3, -1, -1, -1).flatten(1).squeeze(), x.repeat(1, 2, 1), x.expand_as(x), x.flip(0, 1)
        c = x.sum(), x.sum(-1), x.mean((1, 2), keepdim=True), x.max(), x.max(dim=1)[0], x.max(1).values, x.argmax(dim=-1)
        d = x.std(1), x.var(dim=(0, 1)), x.norm(), x.norm(p=1, dim=2), x.norm(2, 1, True), x.amax(0), x.prod(1), x.cumsum(0)
        e = x.to(torch.float64), x.to("cpu"), x.to(x), x.to(device="cpu", dtype=torch.int32), x.half(), x.long(), x.type_as(i)
        f = x.chunk(2, dim=2) + x.split(1, 0) + x.split([1, 2], dim=1) + x.unbind(1) + x.tensor_split(3, 2)
        g = x.masked_fill(mask, float("-inf")), x.clamp(0, 1), x.clamp(min=0), x.clamp_min(0.5), x.where(mask, 0.0), x.softmax(dim=-1)
        h = x.new_zeros(2, 3), x.new_full((2,), 7), x.new_empty([4], dtype=torch.int16), x.new_ones((1, 2)), x.new_tensor([1, 2])
        j = x.topk(2, dim=-1).indices, x.sort(descending=True)[1], x.gather(2, i), x.index_select(0, i.view(-1)[:2]), x.scatter(2, i, x)
        k = x.add(x, alpha=2), x.mul(2), x.div(x, rounding_mode="floor"), x.pow(2), x.eq(0), x.matmul(x.transpose(1, 2)), x.bmm(x.mT)
        l = x.triu(1), x.roll(1, 0), x.detach(), x.clone(), x.unfold(2, 2, 1), x.movedim(0, -1), x.swapaxes(0, 1)
        m = x.numel(), x.dim(), x.stride(), x.is_contiguous(), x.is_floating_point(), x.element_size(), x.storage_offset()
        n = x.relu().sigmoid().tanh().exp().log().sqrt().rsqrt().abs().neg().round(), x.type(torch.float16), x.float(), x.cpu()
        o = x.clone().add_(1).mul_(2).clamp_(0, 1).fill_(2).zero_().copy_(x).masked_fill_(mask, 1), x.clone().unsqueeze_(0)
        return a, b, c, d, e, f, g, h, j, k, l, m, n, o


class Functions(nn.Module):
    """Functions of torch, with their arguments by position and by name."""

    def forward(self, x, i, mask):
        a = torch.add(x, x, alpha=2), torch.sub(input=x, other=1), torch.mul(x, 2.0), torch.true_divide(x, 2), torch.pow(2, x)
        b = torch.cat([x, x], dim=1), torch.stack((x, x)), torch.cat((x, x), 0), torch.hstack([x, x]), torch.split(x, 1, dim=1)
        c = torch.sum(x, dim=1), torch.mean(x, 2, True), torch.max(x, 1), torch.max(x, x), torch.std(x, (1,), keepdim=True), torch.amin(x, 0)
        d = torch.einsum("abc,abd->acd", x, x), torch.tensordot(x, x, dims=([0], [0])), torch.matmul(x, x.mT), torch.bmm(x, x.mT)
        e = torch.zeros(2, 3), torch.ones((2, 3), dtype=torch.int32), torch.full((2,), 3), torch.arange(x.size(2)), torch.arange(1, 7, 2)
        f = torch.zeros_like(x), torch.rand(2, 2, dtype=torch.float64), torch.linspace(0, 1, 5), torch.empty(x.shape), torch.eye(3)
        g = torch.where(mask, x, 0.0), torch.where(mask, 1, x), torch.clamp(x, max=1), torch.masked_fill(x, mask, 1), torch.gather(x, 2, i)
        h = torch.broadcast_tensors(x, x[0]), torch.meshgrid(x[0, 0], x[0, :, 0], indexing="ij"), torch.atleast_2d(x[0, 0, 0]), torch.cdist(x, x)
        j = torch.norm(x), torch.norm(x, p=1, dim=1), torch.linalg.norm(x, dim=(1, 2)), torch.linalg.inv(x + torch.eye(3)), torch.special.expit(x)
        k = torch.fft.rfft(x), torch.fft.fftn(x, dim=(0, 1)), torch.view_as_real(torch.fft.fft(x)), torch.topk(x, 2), torch.sort(x, dim=0)
        l = torch.add(x, x, out=torch.empty_like(x)), torch.softmax(x, -1), torch.nn.functional.one_hot(i, 4), torch.triu(x, diagonal=1)
        m = torch.flatten(x, start_dim=1), torch.permute(x, (2, 0, 1)), torch.transpose(x, 0, 1), torch.squeeze(x), torch.unsqueeze(x, 0)
        n = torch.is_tensor(x), torch.is_floating_point(x), torch.numel(x), torch.relu(x), torch.sigmoid(x), torch.addmm(x[0], x[0], x[1].mT @ x[1])
        o = torch.logical_and(mask, mask), torch.isnan(x), torch.bitwise_not(i), torch.outer(x[0, 0], x[0, 1]), torch.repeat_interleave(x, 2, dim=0)
        length = x.size(0)
        p = torch.hann_window(length), torch.bartlett_window(length, periodic=False), torch.ops.aten.copy(x[..., :2], x[..., 1:])
        return a, b, c, d, e, f, g, h, j, k, l, m[:3], n, o, p


class Functional(nn.Module):
    """torch.nn.functional, where it stands before the operators."""

    def forward(self, x, i, w):
        a = F.relu(x), F.relu(x.clone(), inplace=True), F.gelu(x, approximate="tanh"), F.softmax(x, dim=1), F.log_softmax(x, -1, dtype=torch.float64)
        b = F.linear(x, w), F.dropout(x, 0.1, training=False), F.layer_norm(x, (x.shape[-1],)), F.normalize(x, dim=-1), F.pad(x, (1, 2))
        c = F.conv2d(x, w.view(1, 4, 6, 1)[:, :3], padding=1), F.max_pool2d(x, 2), F.max_pool2d(x, 2, return_indices=True), F.avg_pool2d(x, 2)
        d = F.adaptive_avg_pool2d(x, (1, 1)), F.interpolate(x, scale_factor=2), F.interpolate(x, size=(3, 3), mode="bilinear", align_corners=False)
        e = F.embedding(i, w), F.embedding_bag(i, w, mode="sum"), F.one_hot(i, 7), F.cross_entropy(w, i[:, 0].repeat(2)), F.mse_loss(x, x, reduction="none")
        f = F.scaled_dot_product_attention(x, x, x, is_causal=True), F.cosine_similarity(x, x, dim=1), F.pixel_shuffle(x.repeat(1, 4, 1, 1), 2)
        g = F.grid_sample(x, x.new_zeros(2, 2, 2, 2), align_corners=False), F.unfold(x, 2), F.gumbel_softmax(x, hard=True), F.silu(x), F.glu(x)
        h = F.group_norm(x, 3), F.instance_norm(x), F.batch_norm(x, None, None, training=True), F.rms_norm(x, [6]), F.local_response_norm(x, 2)
        j = F.binary_cross_entropy_with_logits(x, x), F.smooth_l1_loss(x, x), F.kl_div(x, x, reduction="batchmean"), F.softplus(x), F.leaky_relu(x, 0.2)
        k = F.multi_head_attention_forward(x[0], x[0], x[0], 6, 2, w.new_zeros(18, 6), None, None, None, False, 0.0, w.new_zeros(6, 6), None)
        return a, b, c, d, e, f, g, h, j, k


def functions():
    """Name, module and inputs of models that call functions of Python."""
    yield "operators", Operators(), (f(3, 3).requires_grad_(False), long(2), torch.ones(3, dtype=torch.bool))
    yield "methods", Methods(), (f(2, 3, 4), long(2, 3, 4), torch.ones(3, 4, dtype=torch.bool))
    yield "functions", Functions(), (f(3, 3, 3), long(3, 3, 3), torch.ones(3, 3, dtype=torch.bool))
    yield "named_tuples", NamedTuples(), (f(3, 3), long(3))
    yield "functional", Functional(), (f(2, 3, 4, 6), long(2, 2), f(4, 6))


class Pair(NamedTuple):
    first: torch.Tensor
    second: object = 4


class NamedTuples(nn.Module):
    """Makes tuples with fields, by position, by name, and with a default."""

    def forward(self, x, y):
        return Pair(x.t(), second=[x, y]), Pair(y + 1)


class Specialized(nn.Module):
    """For symbolic_trace with concrete_args: the inputs that are given there are asserted in the graph."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, mask=None, factor=3, residual=True):
        y = self.linear(x)
        if mask is not None:
            y = y * mask
        return y * factor + x if residual else y


class Guarded(nn.Module):
    """For ExportedProgram.module(), which calls the guards of the export."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, options):
        y = self.linear(x).relu()
        return (y + 1).reshape(-1, 8) + options["bias"][:1]


class SmallLinear(nn.Linear):
    """A subclass that keeps forward, and makes its base with an argument that it does not take itself."""

    factor = 2

    def __init__(self, features):
        super().__init__(features, features, bias=False)


class SmallerLinear(SmallLinear):
    def extra_repr(self):
        return f"smaller, {super().extra_repr()}"


class NamedNorm(nn.GroupNorm):
    def __init__(self, name, **arguments):
        super().__init__(**arguments)
        self.name = name


def leaves_of_subclasses():
    """A model, and a tracer for which the subclasses above are leaves."""

    class Tracer(torch.fx.Tracer):
        def is_leaf_module(self, module, path):
            return isinstance(module, (SmallLinear, NamedNorm)) or super().is_leaf_module(module, path)

    model = nn.Sequential(SmallLinear(6), NamedNorm("norm", num_groups=2, num_channels=6), SmallerLinear(6), nn.ReLU())
    return torch.fx.GraphModule(model, Tracer().trace(model))


class Caller(nn.Module):
    """Calls one module, so that symbolic_trace leaves a call_module."""

    def __init__(self, module):
        super().__init__()
        self.module = module


def caller(module, inputs):
    """A module that calls `module` with so many positional inputs."""
    names = [f"x{i}" for i in range(len(inputs))]
    namespace = {}
    exec(f"def forward(self, {', '.join(names)}):\n    return self.module({', '.join(names)})\n", namespace)
    return type("Caller", (Caller,), {"forward": namespace["forward"]})(module)


def models():
    """Name, model and example inputs of the folders of graphs/."""
    for path in sorted((ROOT / "graphs").glob("*/model.py")):
        model = importlib.import_module(f"graphs.{path.parent.name}.model")
        torch.manual_seed(0)
        yield path.parent.name, model.build().eval(), model.example_inputs()
