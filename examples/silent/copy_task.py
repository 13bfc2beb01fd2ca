"""The copy task: read some random symbols, then write the same symbols.

Symbols are 2 and above; 0 is padding, 1 starts the output.
"""

from dataclasses import dataclass

import torch

PADDING, START, FIRST = 0, 1, 2


@dataclass(frozen=True)
class Batch:
    """source (B, T) symbols, lengths (B,) on the CPU, previous (B, T): source shifted by one."""

    source: torch.Tensor
    lengths: torch.Tensor
    previous: torch.Tensor


def draw(lengths, n_symbols, generator):
    """A batch of random sequences of the given lengths."""
    lengths = torch.as_tensor(lengths)
    longest = int(lengths.max())
    shape = (len(lengths), longest)
    source = torch.randint(FIRST, n_symbols, shape, generator=generator)
    source[torch.arange(longest) >= lengths[:, None]] = PADDING
    start = torch.full((len(lengths), 1), START)
    return Batch(source, lengths, torch.cat([start, source[:, :-1]], dim=1))


def loss(model, batch):
    """The mean cross entropy of the symbols to write, padding left out."""
    logits = model(batch.source, batch.lengths, batch.previous)
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), batch.source.flatten(), ignore_index=PADDING
    )


@torch.no_grad()
def accuracy(model, length, n_symbols, generator, sequences=64):
    """The share of symbols written right, each after the right ones before it.

    Sequences of several lengths share a batch, as in training; those of `length` count.
    """
    lengths = torch.full((2 * sequences,), length)
    lengths[sequences:] = torch.randint(5, 81, (sequences,), generator=generator)
    batch = draw(lengths, n_symbols, generator)
    logits = model(batch.source, batch.lengths, batch.previous)
    written = logits[:sequences, :length].argmax(-1)
    return (written == batch.source[:sequences, :length]).float().mean().item()
