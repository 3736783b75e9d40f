"""Small models with a loss, for check_training.py: name -> (module, inputs). forward() returns the loss."""
import torch
from torch import nn
from torch.nn import functional as F


class Classified(nn.Module):
    """A network under cross entropy."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x, target):
        return F.cross_entropy(self.net(x), target)


def mlp():
    return nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.Tanh(), nn.Linear(512, 10))


def lenet():
    return nn.Sequential(nn.Conv2d(3, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 5), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(800, 120), nn.ReLU(), nn.Linear(120, 10))


class Residual(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False), nn.BatchNorm2d(outer)
        self.conv2, self.bn2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False), nn.BatchNorm2d(outer)
        self.short = nn.Conv2d(inner, outer, 1, stride, bias=False) if stride > 1 else nn.Identity()

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + self.short(x))


def resnet():
    return nn.Sequential(nn.Conv2d(3, 32, 3, 1, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU(), Residual(32, 32, 1),
                         Residual(32, 64, 2), Residual(64, 128, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))


class Squeeze(nn.Module):
    """A MobileNet block: depthwise convolution, squeeze and excitation."""

    def __init__(self, width, wide):
        super().__init__()
        self.expand, self.bn1 = nn.Conv2d(width, wide, 1, bias=False), nn.BatchNorm2d(wide)
        self.depth, self.bn2 = nn.Conv2d(wide, wide, 3, 1, 1, groups=wide, bias=False), nn.BatchNorm2d(wide)
        self.down, self.up = nn.Conv2d(wide, wide // 4, 1), nn.Conv2d(wide // 4, wide, 1)
        self.project, self.bn3 = nn.Conv2d(wide, width, 1, bias=False), nn.BatchNorm2d(width)

    def forward(self, x):
        y = F.hardswish(self.bn2(self.depth(F.hardswish(self.bn1(self.expand(x))))))
        y = y * torch.sigmoid(self.up(F.relu(self.down(F.adaptive_avg_pool2d(y, 1)))))
        return x + self.bn3(self.project(y))


def mobilenet():
    return nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.Hardswish(), Squeeze(16, 64), Squeeze(16, 64),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))


class UNet(nn.Module):
    """Noise of an image, by convolutions with group norm and SiLU, as diffusion models have them."""

    def __init__(self):
        super().__init__()
        block = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, 1, 1), nn.GroupNorm(4, b), nn.SiLU())
        self.first, self.down, self.middle = block(3, 16), block(16, 32), block(32, 32)
        self.up, self.last = block(48, 16), nn.Conv2d(16, 3, 1)

    def forward(self, x, noise):
        first = self.first(x + 0.1 * noise)
        middle = self.middle(self.down(F.avg_pool2d(first, 2)))
        up = F.interpolate(middle, scale_factor=2.0, mode="nearest")
        return F.mse_loss(self.last(self.up(torch.cat([first, up], 1))), noise)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.1, batch_first=True)
        self.embed, self.layers = nn.Embedding(1000, 64), nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(64, 5)

    def forward(self, tokens, target):
        return F.cross_entropy(self.head(self.layers(self.embed(tokens)).mean(1)), target)


class Attention(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), Attention(width, heads, causal)
        self.norm2, self.fc1, self.fc2 = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class Gpt(nn.Module):
    """The head's weight is the embedding's."""

    def __init__(self, words=500, width=64):
        super().__init__()
        self.embed, self.place = nn.Embedding(words, width), nn.Embedding(64, width)
        self.layers, self.norm = nn.ModuleList(Block(width, 4, True) for _ in range(4)), nn.LayerNorm(width)

    def forward(self, tokens, target):
        x = self.embed(tokens) + self.place(torch.arange(tokens.shape[1]))
        for layer in self.layers:
            x = layer(x)
        logits = F.linear(self.norm(x), self.embed.weight)
        return F.cross_entropy(logits.flatten(0, 1), target.flatten())


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 64, 8, 8)
        self.token, self.place = nn.Parameter(torch.zeros(1, 1, 64)), nn.Parameter(torch.zeros(1, 65, 64))
        self.layers, self.norm, self.head = nn.Sequential(*(Block(64, 4, False) for _ in range(3))), nn.LayerNorm(64), nn.Linear(64, 10)

    def forward(self, x, target):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.place
        return F.cross_entropy(self.head(self.norm(self.layers(x))[:, 0]), target)


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        mlp = lambda a, b: nn.Sequential(nn.Linear(a, b), nn.GELU(), nn.Linear(b, a))
        self.patch, self.norms = nn.Linear(48, 64), nn.ModuleList(nn.LayerNorm(64) for _ in range(4))
        self.tokens, self.channels = nn.ModuleList(mlp(64, 96) for _ in range(2)), nn.ModuleList(mlp(64, 256) for _ in range(2))
        self.head = nn.Linear(64, 10)

    def forward(self, x, target):
        x = self.patch(x)
        for i in range(2):
            x = x + self.tokens[i](self.norms[2 * i](x).transpose(1, 2)).transpose(1, 2)
            x = x + self.channels[i](self.norms[2 * i + 1](x))
        return F.cross_entropy(self.head(x.mean(1)), target)


class Tagger(nn.Module):
    """An LSTM written out, step by step."""

    def __init__(self):
        super().__init__()
        self.embed, self.cell, self.head = nn.Embedding(500, 32), nn.LSTMCell(32, 48), nn.Linear(48, 9)

    def forward(self, tokens, target):
        words, h, c = self.embed(tokens), torch.zeros(tokens.shape[0], 48), torch.zeros(tokens.shape[0], 48)
        states = []
        for i in range(tokens.shape[1]):
            h, c = self.cell(words[:, i], (h, c))
            states.append(h)
        return F.nll_loss(F.log_softmax(self.head(torch.stack(states, 1)), -1).flatten(0, 1), target.flatten())


class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Linear(784, 256), nn.LeakyReLU(), nn.Linear(256, 64))
        self.up = nn.Sequential(nn.Linear(32, 256), nn.ELU(), nn.Linear(256, 784), nn.Sigmoid())

    def forward(self, x, noise):
        mean, log_var = self.down(x).chunk(2, -1)
        again = self.up(mean + noise * torch.exp(0.5 * log_var))
        return F.binary_cross_entropy(again, x) - 0.5 * (1 + log_var - mean.pow(2) - log_var.exp()).mean()


class Recommender(nn.Module):
    """DLRM: tables, products of each pair, and a network on top."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(2000, 16) for _ in range(6))
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 16), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(16 + 49, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, dense, sparse, target):
        dense = self.bottom(dense)
        every = torch.stack([dense] + [table(sparse[:, i]) for i, table in enumerate(self.tables)], 1)
        pairs = torch.bmm(every, every.transpose(1, 2)).flatten(1)
        return F.binary_cross_entropy_with_logits(self.top(torch.cat([dense, pairs], 1)).squeeze(1), target)


def chain_loss(y, target):
    return F.cross_entropy(y.flatten(0, 1), target.flatten())


class Chain(nn.Module):
    """Blocks that take the result of the one before: a pipeline can begin a stage at each of them."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Embedding(300, 64), *(Block(64, 4, True) for _ in range(6)), nn.Linear(64, 300)])

    def forward(self, x, target):
        for block in self.blocks:
            x = block(x)
        return chain_loss(x, target)


def labels(count, classes):
    return torch.randint(0, classes, (count,))


MODELS = {
    "mlp": lambda: (Classified(mlp()), (torch.randn(512, 256), labels(512, 10))),
    "lenet": lambda: (Classified(lenet()), (torch.randn(32, 3, 32, 32), labels(32, 10))),
    "resnet": lambda: (Classified(resnet()), (torch.randn(8, 3, 32, 32), labels(8, 10))),
    "mobilenet": lambda: (Classified(mobilenet()), (torch.randn(8, 3, 64, 64), labels(8, 10))),
    "unet": lambda: (UNet(), (torch.randn(4, 3, 64, 64), torch.randn(4, 3, 64, 64))),
    "encoder": lambda: (Encoder(), (torch.randint(0, 1000, (16, 48)), labels(16, 5))),
    "gpt": lambda: (Gpt(), (torch.randint(0, 500, (8, 64)), torch.randint(0, 500, (8, 64)))),
    "vit": lambda: (Vit(), (torch.randn(8, 3, 64, 64), labels(8, 10))),
    "mixer": lambda: (Mixer(), (torch.randn(16, 64, 48), labels(16, 10))),
    "lstm": lambda: (Tagger(), (torch.randint(0, 500, (32, 20)), torch.randint(0, 9, (32, 20)))),
    "vae": lambda: (Vae(), (torch.rand(256, 784), torch.randn(256, 32))),
    "recommender": lambda: (Recommender(), (torch.randn(512, 13), torch.randint(0, 2000, (512, 6)), torch.rand(512))),
}

# For several ranks.
MODELS_OF_RANKS = {
    "wide": lambda: (Gpt(40, 128), (torch.randint(0, 40, (8, 64)), torch.randint(0, 40, (8, 64)))),
    "chain": lambda: (Chain(), (torch.randint(0, 300, (2, 32)), torch.randint(0, 300, (2, 32)))),
}
