"""An image classifier: a transformer over patches, with a class token."""

import torch
from torch import nn


class PatchEmbedding(nn.Module):
    """Cuts the image into patches and puts the class token before them."""

    def __init__(self, image_size, patch_size, width):
        super().__init__()
        patches = (image_size // patch_size) ** 2
        self.projection = nn.Conv2d(3, width, patch_size, stride=patch_size)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.zeros(1, patches + 1, width))

    def forward(self, image):
        patches = self.projection(image).flatten(2).transpose(1, 2)
        class_token = self.class_token.expand(image.shape[0], -1, -1)
        return torch.cat((class_token, patches), dim=1) + self.positions


class Attention(nn.Module):
    """Self attention with one projection for queries, keys and values."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.scale = (width // heads) ** -0.5
        self.qkv = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        scores = query @ key.transpose(-2, -1) * self.scale
        mixed = scores.softmax(-1) @ value
        return self.output(mixed.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class VisionTransformer(nn.Module):
    """Class scores read off the class token."""

    def __init__(self, image_size, patch_size, width, heads, blocks, classes):
        super().__init__()
        self.embedding = PatchEmbedding(image_size, patch_size, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(blocks)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, image):
        x = self.norm(self.blocks(self.embedding(image)))
        return self.head(x[:, 0])


def build():
    return VisionTransformer(image_size=32, patch_size=8, width=48, heads=4, blocks=2, classes=10)


def example_inputs():
    return (torch.zeros(2, 3, 32, 32),)
