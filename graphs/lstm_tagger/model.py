"""A part-of-speech tagger: words and their characters through recurrent networks."""

import torch
import torch.nn.functional as F
from torch import nn


class CharacterEncoder(nn.Module):
    """The last state of a GRU over each word's characters."""

    def __init__(self, characters, embedding_width, width):
        super().__init__()
        self.embedding = nn.Embedding(characters, embedding_width, padding_idx=0)
        self.gru = nn.GRU(embedding_width, width, batch_first=True)

    def forward(self, characters):
        batch, words, length = characters.shape
        flat = self.embedding(characters.view(batch * words, length))
        _, state = self.gru(flat)
        return state.squeeze(0).view(batch, words, -1)


class Tagger(nn.Module):
    """Log probabilities of the tags of each word."""

    def __init__(self, words, characters, width, tags):
        super().__init__()
        self.word_embedding = nn.Embedding(words, width)
        self.character_encoder = CharacterEncoder(characters, width // 2, width // 2)
        self.lstm = nn.LSTM(
            width + width // 2, width, num_layers=2, batch_first=True, bidirectional=True
        )
        self.head = nn.Linear(2 * width, tags)

    def forward(self, words, characters):
        embedded = torch.cat(
            (self.word_embedding(words), self.character_encoder(characters)), dim=-1
        )
        states, _ = self.lstm(embedded)
        return F.log_softmax(self.head(states), dim=-1)


def build():
    return Tagger(words=1000, characters=80, width=32, tags=17)


def example_inputs():
    words = torch.zeros(3, 14, dtype=torch.int64)
    characters = torch.zeros(3, 14, 10, dtype=torch.int64)
    return (words, characters)
