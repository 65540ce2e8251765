"""The smallest model that the recipe can be tried with: bytes in, a gated recurrent unit, bytes out."""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional

from assistant.training.examples import END

_BYTES = 256


class TinyModel(nn.Module):
    """A language model over bytes. A text may have up to `most` bytes."""

    def __init__(self, width: int = 48, most: int = 128) -> None:
        super().__init__()
        self.most = most
        self.embedding = nn.Embedding(_BYTES, width)
        self.unit = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, _BYTES)

    def log_probability(self, prompt: str, completions: Sequence[str]) -> torch.Tensor:
        start = list(prompt.encode())
        rows = [list(text.encode("utf-8", "surrogateescape"))[: self.most] for text in completions]
        longest = max(map(len, rows))
        tokens = torch.tensor([[*start, *row, *[0] * (longest - len(row))] for row in rows])
        inside = torch.tensor([[at < len(row) for at in range(longest)] for row in rows])
        hidden, _ = self.unit(self.embedding(tokens[:, :-1]))
        found = functional.log_softmax(self.head(hidden[:, len(start) - 1 :]), -1)
        chosen = found.gather(-1, tokens[:, len(start) :, None]).squeeze(-1)
        return (chosen * inside).sum(-1)

    @torch.no_grad()
    def sample(self, prompt: str, count: int, generator: torch.Generator) -> list[str]:
        _, state = self.unit(self.embedding(torch.tensor([list(prompt.encode())] * count)[:, :-1]))
        last = torch.tensor([[prompt.encode()[-1]]] * count)
        drawn: list[list[int]] = [[] for _ in range(count)]
        ended = [False] * count
        for _ in range(self.most):
            hidden, state = self.unit(self.embedding(last), state)
            last = torch.multinomial(self.head(hidden[:, 0]).softmax(-1), 1, generator=generator)
            for at, byte in enumerate(last[:, 0].tolist()):
                if not ended[at]:
                    drawn[at].append(byte)
                    ended[at] = byte == ord(END)
            if all(ended):
                break
        return [bytes(row).decode("utf-8", "surrogateescape") for row in drawn]
