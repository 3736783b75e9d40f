"""Models with one mistake each, of the kinds that users ask about. export_broken.py records them for //testdata/broken.

CASES has for each: the module, its inputs, the code of the finding, and a part of the help line ("" where no one cause is
likely). Each module is small, but has a line before and after the mistake, so that the right line has to be found."""

import torch
from torch import nn
from torch.nn import functional as F


def f(*shape):
    return torch.zeros(shape)


def long(*shape):
    return torch.zeros(shape, dtype=torch.int64)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 256)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = self.fc2(x)
        return x.softmax(-1)


class NoFlatten(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.fc = nn.Linear(8 * 8 * 8, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        return self.fc(x)


class FeaturesBeforeTime(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(40, 16)

    def forward(self, spectrogram):
        x = spectrogram.clamp(min=0)
        x = self.proj(x)
        return x.mean(1)


class Scores(nn.Module):
    def forward(self, q, k):
        q = q * 0.125
        scores = torch.matmul(q, k)
        return scores.softmax(-1)


class MmOfBatch(nn.Module):
    def forward(self, x, w):
        x = x.relu()
        return torch.mm(x, w)


class BmmOfMatrix(nn.Module):
    def forward(self, x, w):
        x = x.relu()
        return torch.bmm(x, w)


class WeightNotTransposed(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(f(32, 16))

    def forward(self, x):
        x = x - 1
        return x @ self.weight


class BatchesDiffer(nn.Module):
    def forward(self, x, y):
        y = y.sigmoid()
        return torch.bmm(x, y)


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(64, 64)

    def forward(self, x):
        q = self.qkv(x)
        q = q.view(2, 10, 7, 9)
        return q.transpose(1, 2)


class HeadSize(nn.Module):
    def forward(self, x):
        x = x * 2
        x = x.view(2, 10, 8, 16)
        return x.transpose(1, 2)


class FixedBatch(nn.Module):
    def forward(self, x):
        x = x.relu()
        x = x.view(32, 3 * 8 * 8)
        return x.sum(1)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc = nn.Linear(16 * 5 * 5, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(-1, 16 * 5 * 5)
        return self.fc(x)


class ViewOfPermuted(nn.Module):
    def forward(self, x):
        x = x.permute(0, 2, 1)
        x = x.view(2, -1)
        return x + 1


class ChannelsLast(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, image):
        x = image / 255.0
        x = self.conv(x)
        return x.relu()


class Grayscale(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3)

    def forward(self, digits):
        x = digits - 0.5
        return self.conv(x)


class NextChannels(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)

    def forward(self, x):
        x = self.conv1(x).relu()
        return self.conv2(x).relu()


class TextConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 32)
        self.conv = nn.Conv1d(32, 64, 3)

    def forward(self, tokens):
        x = self.embed(tokens)
        x = self.conv(x)
        return x.max(-1)[0]


class NoBatch(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.bn = nn.BatchNorm2d(8)

    def forward(self, image):
        x = self.conv(image)
        return self.bn(x).relu()


class LargeKernel(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 4, stride=4)
        self.mix = nn.Conv2d(8, 8, 7)

    def forward(self, x):
        x = self.stem(x)
        x = self.mix(x)
        return x.mean((2, 3))


class TooManyPools(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        x = self.pool(x)
        x = self.pool(x)
        x = self.pool(x)
        return x.flatten(1)


class SkipConnection(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)

    def forward(self, x, skip):
        x = self.up(x)
        x = torch.cat([x, skip], dim=0)
        return x.relu()


class Stacked(nn.Module):
    def forward(self, a, b):
        a = a.relu()
        both = torch.stack([a, b])
        return both.mean(0)


class CatOfClassToken(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(f(1, 32))

    def forward(self, patches):
        x = patches * 0.5
        x = torch.cat([self.token, x], dim=1)
        return x.mean(1)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 3, stride=2, padding=1)

    def forward(self, x):
        y = self.conv(x)
        return (x + y).relu()


class ChannelScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(8))

    def forward(self, x):
        x = x.sigmoid()
        return x * self.scale


class PaddingMask(nn.Module):
    def forward(self, scores, mask):
        scores = scores / 8
        scores = scores + mask
        return scores.softmax(-1)


class PositionsTransposed(nn.Module):
    def __init__(self):
        super().__init__()
        self.positions = nn.Parameter(f(1, 32, 10))

    def forward(self, x):
        x = x * 5.6
        return x + self.positions


class SwappedLoss(nn.Module):
    def forward(self, logits, labels):
        logits = logits.float()
        return F.cross_entropy(labels, logits)


class SequenceLoss(nn.Module):
    def forward(self, logits, labels):
        logits = logits * 0.1
        return F.cross_entropy(logits, labels)


class ColumnOfLabels(nn.Module):
    def forward(self, logits, labels):
        logits = logits * 0.1
        return F.nll_loss(logits.log_softmax(-1), labels)


class FloatLabels(nn.Module):
    def forward(self, logits, labels):
        logits = logits * 0.1
        return F.cross_entropy(logits, labels)


class BinaryLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 1)

    def forward(self, x, target):
        prediction = self.head(x)
        return F.binary_cross_entropy_with_logits(prediction, target)


class OtherBatchOfLabels(nn.Module):
    def forward(self, logits, labels):
        logits = logits[:-1]
        return F.cross_entropy(logits, labels)


class FloatTokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 16)

    def forward(self, tokens):
        tokens = tokens.clamp(min=0)
        return self.embed(tokens)


class DoubleInput(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        x = x - x.mean()
        return self.fc(x)


class HalfWeights(nn.Module):
    def forward(self, x, w):
        w = w.half()
        return x @ w


class NormOfTransposed(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(64)

    def forward(self, x):
        x = x.relu()
        return self.norm(x)


class NormOfOtherWidth(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(64, 128)
        self.norm = nn.LayerNorm(64)

    def forward(self, x):
        x = self.fc(x)
        return self.norm(x)


class BatchNormChannels(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 3)
        self.bn = nn.BatchNorm2d(32)

    def forward(self, x):
        x = self.conv(x)
        return self.bn(x)


class BatchNormOfImages(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(8)

    def forward(self, x):
        x = x.tanh()
        return self.bn(x)


class GroupsDoNotDivide(nn.Module):
    def forward(self, x):
        x = x * 2
        return F.group_norm(x, 8)


class LstmWidth(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(32, 16, batch_first=True)

    def forward(self, x):
        x = x.relu()
        return self.lstm(x)[0]


class PermuteWithoutBatch(nn.Module):
    def forward(self, image):
        x = image / 255.0
        x = x.permute(0, 3, 1, 2)
        return x.mean()


class SoftmaxDimension(nn.Module):
    def forward(self, logits):
        logits = logits * 3
        return logits.softmax(dim=2)


class TooManyIndices(nn.Module):
    def forward(self, x):
        x = x.cumsum(0)
        return x[:, :, 0]


class ExpandedRows(nn.Module):
    def forward(self, x):
        x = x + 1
        return x.expand(8, 16)


class QkvSplit(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(64, 128)

    def forward(self, x):
        x = self.qkv(x)
        return torch.split(x, [64, 64, 64], dim=-1)[0]


class WeightInPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x):
        x = x * 2
        return self.weight.add_(x)


class IntegersInPlace(nn.Module):
    def forward(self, counts):
        counts = counts + 1
        return counts.mul_(0.5)


class GatherLabels(nn.Module):
    def forward(self, logits, labels):
        logits = logits.log_softmax(-1)
        return logits.gather(1, labels)


class EinsumLetters(nn.Module):
    def forward(self, x, w):
        x = x.relu()
        return torch.einsum("bij,jk->bik", x, w)


class AttentionOfOtherWidth(nn.Module):
    def forward(self, q, k, v):
        q = q * 0.5
        return F.scaled_dot_product_attention(q, k, v)


class Upscale(nn.Module):
    def forward(self, x):
        x = x.relu()
        return F.pixel_shuffle(x, 2)


class GroupsOfWeight(nn.Module):
    """A depthwise convolution with another number of groups."""

    def __init__(self, groups):
        super().__init__()
        self.weight = nn.Parameter(f(16, 1, 3, 3))
        self.groups = groups

    def forward(self, x):
        x = x.relu()
        return F.conv2d(x, self.weight, groups=self.groups)


class GroupsOfTransposed(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(f(16, 3, 4, 4))

    def forward(self, x):
        x = x.relu()
        return F.conv_transpose2d(x, self.weight, groups=10)


class NormalizedShape(nn.Module):
    def __init__(self, weight, bias, normalized):
        super().__init__()
        self.weight = nn.Parameter(f(weight))
        self.bias = nn.Parameter(f(bias))
        self.normalized = normalized

    def forward(self, x):
        x = x * 2
        return F.layer_norm(x, (self.normalized,), self.weight, self.bias)


class LongBias(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(f(8, 16))
        self.bias = nn.Parameter(f(9))

    def forward(self, x):
        x = x * 2
        return F.linear(x, self.weight, self.bias)


class LongBiasOfConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(f(8, 3, 3, 3))
        self.bias = nn.Parameter(f(9))

    def forward(self, x):
        x = x * 2
        return F.conv2d(x, self.weight, self.bias)


class Waveform(nn.Module):
    def forward(self, audio):
        x = audio * 0.5
        return x.view(1, 2, 4000)


class SwappedLinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(f(10, 16))
        self.bias = nn.Parameter(f(10))

    def forward(self, x):
        x = x * 2
        return F.linear(self.weight, x, self.bias)


class SwappedNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(f(16))

    def forward(self, x):
        x = x * 2
        return F.layer_norm(self.weight, (16,), x)


class SwappedConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(f(16, 1, 3, 3))

    def forward(self, x):
        x = x.relu()
        return F.conv2d(self.weight, x, groups=16)


class SwappedTransposed(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(f(16, 4, 3, 3))

    def forward(self, x):
        x = x.relu()
        return F.conv_transpose2d(self.weight, x)


class SwappedEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(f(100, 16))

    def forward(self, tokens):
        tokens = tokens.clamp(min=0)
        return F.embedding(self.weight, tokens)


CASES = {
    "linear_features": (Mlp, (f(4, 784),), "FP3001", "takes 128 features and gets 256"),
    "no_flatten": (NoFlatten, (f(2, 3, 16, 16),), "FP3001", ".flatten(1)`"),
    "features_before_time": (FeaturesBeforeTime, (f(2, 40, 100),), "FP3001", ".transpose(1, -1)`"),
    "scores_not_transposed": (Scores, (f(2, 4, 10, 8), f(2, 4, 12, 8)), "FP3001", "transpose `k`"),
    "mm_of_batch": (MmOfBatch, (f(2, 3, 4), f(4, 5)), "FP3001", "`matmul` and `bmm` take batches"),
    "bmm_of_matrix": (BmmOfMatrix, (f(2, 3, 4), f(4, 5)), "FP3001", "`w` has no batch dimension"),
    "weight_not_transposed": (WeightNotTransposed, (f(4, 16),), "FP3001", "transpose `weight`"),
    "batches_differ": (BatchesDiffer, (f(2, 3, 4), f(3, 4, 5)), "FP3001", "their batches of [2] and [3] do not"),
    "heads_do_not_divide": (Heads, (f(2, 10, 64),), "FP3001", "64 features do not divide into 7 heads"),
    "head_size": (HeadSize, (f(2, 10, 64),), "FP3001", "64 features in 8 heads are 8 for each, not 16"),
    "fixed_batch": (FixedBatch, (f(8, 3, 8, 8),), "FP3001", "the first size is fixed to 32: with `-1` there it becomes 8"),
    "lenet_input": (LeNet, (f(1, 1, 28, 28),), "FP3001", "are no multiple of 400"),
    "view_of_permuted": (ViewOfPermuted, (f(2, 3, 4),), "FP3007", "`reshape` copies where `view` cannot"),
    "channels_come_last": (ChannelsLast, (f(2, 16, 16, 3),), "FP3001", ".permute(0, 3, 1, 2)`"),
    "no_channels": (Grayscale, (f(4, 28, 28),), "FP3001", ".unsqueeze(1)`"),
    "next_channels": (NextChannels, (f(2, 3, 16, 16),), "FP3001", "takes 32 channels and gets 16"),
    "text_convolution": (TextConvolution, (long(2, 20),), "FP3001", ".permute(0, 2, 1)`"),
    "no_batch": (NoBatch, (f(3, 16, 16),), "", ".unsqueeze(0)`"),
    "large_kernel": (LargeKernel, (f(1, 3, 16, 16),), "FP3001", "the kernel is larger than its input"),
    "too_many_pools": (TooManyPools, (f(1, 3, 4, 4),), "FP3001", "the window of the pooling is larger"),
    "skip_connection": (SkipConnection, (f(1, 16, 8, 8), f(1, 4, 16, 16)), "FP3001", "dim=1)` takes them"),
    "stacked": (Stacked, (f(2, 3), f(2, 4)), "FP3001", "dim=1)` takes them"),
    "class_token": (CatOfClassToken, (f(2, 10, 32),), "FP3001", "`token` has one dimension less"),
    "residual": (Residual, (f(1, 8, 16, 16),), "FP3001", "what leads to them has to keep it the same"),
    "channel_scale": (ChannelScale, (f(2, 8, 5, 6),), "FP3001", "`scale.view(8, 1, 1)`"),
    "padding_mask": (PaddingMask, (f(2, 4, 10, 10), f(2, 10)), "FP3001", "`mask.view(2, 1, 1, 10)`"),
    "positions_transposed": (PositionsTransposed, (f(2, 10, 32),), "FP3001", "`positions.transpose(1, 2)` fits"),
    "swapped_loss": (SwappedLoss, (f(8, 5), long(8)), "", "the arguments are swapped"),
    "sequence_loss": (SequenceLoss, (f(2, 10, 50), long(2, 10)), "FP3001", "the classes have to be dimension 1"),
    "column_of_labels": (ColumnOfLabels, (f(8, 5), long(8, 1)), "FP3001", "`labels.squeeze(-1)`"),
    "float_labels": (FloatLabels, (f(8, 5), f(8)), "FP3002", "`labels.long()`"),
    "binary_loss": (BinaryLoss, (f(4, 8), f(4)), "", "both have to have one shape: `head.squeeze(-1)`"),
    "other_batch_of_labels": (OtherBatchOfLabels, (f(8, 5), long(8)), "", "of as many examples"),
    "float_tokens": (FloatTokens, (f(2, 6),), "FP3002", ".long()`"),
    "double_input": (DoubleInput, (f(4, 8).double(),), "FP3002", ".to(torch.float32)`"),
    "half_weights": (HalfWeights, (f(4, 8), f(8, 3)), "FP3002", "cast one of them"),
    "norm_of_transposed": (NormOfTransposed, (f(2, 64, 10),), "", ".transpose(1, -1)` is normalised"),
    "norm_of_other_width": (NormOfOtherWidth, (f(2, 64),), "", "`LayerNorm(128)` takes these"),
    "batch_norm_channels": (BatchNormChannels, (f(2, 3, 8, 8),), "", "its `num_features` has to be 64"),
    "batch_norm_of_images": (BatchNormOfImages, (f(2, 8, 5, 5),), "", "`BatchNorm2d` takes it"),
    "groups_do_not_divide": (GroupsDoNotDivide, (f(2, 12, 4, 4),), "", "has to divide the 12 channels"),
    "lstm_width": (LstmWidth, (f(2, 7, 40),), "", "its `input_size` has to be 40"),
    "permute_without_batch": (PermuteWithoutBatch, (f(16, 16, 3),), "", "`.unsqueeze(0)` adds a batch dimension"),
    "softmax_dimension": (SoftmaxDimension, (f(4, 10),), "FP3004", "has 2 dimensions, from 0 to 1"),
    "too_many_indices": (TooManyIndices, (f(4, 10),), "FP3004", "has 2 dimensions"),
    "expanded_rows": (ExpandedRows, (f(4, 16),), "FP3001", "only a dimension of size 1 expands"),
    "qkv_split": (QkvSplit, (f(2, 64),), "", "have to add up to the size of the dimension"),
    "weight_in_place": (WeightInPlace, (f(4),), "FP3008", "under `torch.no_grad()`"),
    "integers_in_place": (IntegersInPlace, (long(4),), "", "use the operator that is not in place"),
    "gather_labels": (GatherLabels, (f(8, 5), long(8)), "", "`labels.unsqueeze(-1)`"),
    "einsum_letters": (EinsumLetters, (f(3, 4), f(4, 5)), "", "a letter for each dimension"),
    "attention_of_other_width": (AttentionOfOtherWidth, (f(2, 4, 8, 16), f(2, 4, 8, 32), f(2, 4, 8, 32)), "FP3001", ""),
    "groups_of_weight": (lambda: GroupsOfWeight(15), (f(2, 16, 8, 8),), "FP3001", "takes 1 channel in each group, and `relu` has 16: `groups` has to be 16"),
    "too_few_groups": (lambda: GroupsOfWeight(8), (f(2, 16, 9, 9),), "FP3001", "`groups` has to be 16"),
    "groups_of_transposed": (GroupsOfTransposed, (f(2, 16, 8, 8),), "FP3001", "`groups` has to divide the 16 channels of `relu`"),
    "normalized_shape": (lambda: NormalizedShape(64, 64, 69), (f(2, 64),), "FP3001", "`normalized_shape` has to be the sizes of `weight`, [64]"),
    "long_norm_weight": (lambda: NormalizedShape(65, 64, 64), (f(2, 64),), "FP3001", "`weight` has to have the sizes of `normalized_shape`, [64]"),
    "long_norm_bias": (lambda: NormalizedShape(64, 65, 64), (f(2, 64),), "FP3001", "`bias` has to have the sizes of `normalized_shape`, [64]"),
    "long_bias": (LongBias, (f(4, 16),), "FP3001", "the layer gives 8 features: its bias, `bias`, has to have as many elements, and has 9"),
    "long_bias_of_convolution": (LongBiasOfConvolution, (f(2, 3, 8, 8),), "FP3001", "the layer gives 8 channels: its bias, `bias`, has to"),
    "waveform": (Waveform, (f(2, 4001),), "FP3001", "8002 elements of [2, 4001] are no multiple of 8000"),
    "swapped_linear": (SwappedLinear, (f(4, 16),), "FP3001", "input and weight look swapped: `weight` and `mul`"),
    "swapped_norm": (SwappedNorm, (f(4, 16),), "FP3001", "input and weight look swapped"),
    "swapped_convolution": (SwappedConvolution, (f(2, 16, 8, 8),), "FP3001", "input and weight look swapped"),
    "swapped_transposed": (SwappedTransposed, (f(2, 16, 8, 8),), "FP3001", "input and weight look swapped"),
    "swapped_embedding": (SwappedEmbedding, (long(2, 6),), "FP3002", "the indices and the weight look swapped"),
    "upscale": (Upscale, (f(1, 6, 4, 4),), "", "multiple of the square of `upscale_factor`"),
}
