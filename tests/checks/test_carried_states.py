"""ATN305: a loop over time that gives every step the same state and throws the new one away."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

SPEAKER = """import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, words, d):
        super().__init__()
        self.embed, self.out = nn.Embedding(words, d), nn.Linear(d, words)
        self.rnn = nn.{layer}(d, d, batch_first=True)

    def forward(self, word, state, keys):
        out, new = self.rnn(self.embed(word), state)
        weights = torch.softmax(out @ keys.transpose(1, 2), dim=-1)
        return self.out(weights @ keys + out), new


class Speaker(nn.Module):
    def __init__(self, words, d):
        super().__init__()
        self.decoder = Decoder(words, d)
        self.encoder = nn.{layer}(d, d, batch_first=True)

    def forward(self, x, steps: int):
        keys, {state} = self.encoder(x)
        word = torch.zeros(x.size(0), 1, dtype=torch.long)
        made = []
        {loop}:
            {step}
            made.append(scores)
            {more}
        return torch.cat(made, dim=1)
"""
OVER_TIME = "for step in range(steps)"
CARRIED = "word = scores.argmax(-1)"


def speaker(step, layer="GRU", state="state", loop=OVER_TIME, more=CARRIED):
    return SPEAKER.format(layer=layer, state=state, loop=loop, step=step, more=more)


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.span.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    ("layer", "state", "step", "right"),
    [
        (
            "GRU",
            "state",
            "scores, _ = self.decoder(word, state, keys)",
            "scores, state = self.decoder(word, state, keys)",
        ),
        (
            "LSTM",
            "state",
            "scores, unread = self.decoder(word, state=state, keys=keys)",
            "scores, state = self.decoder(word, state=state, keys=keys)",
        ),
        (
            "LSTM",
            "(h, c)",
            "scores, (_, _) = self.decoder(word, (h, c), keys)",
            "scores, (h, c) = self.decoder(word, (h, c), keys)",
        ),
        (
            "RNN",
            "state",
            "scores, _ = self.decoder.rnn(self.decoder.embed(word), state)",
            "scores, state = self.decoder.rnn(self.decoder.embed(word), state)",
        ),
    ],
)
def test_a_state_that_is_thrown_away(layer, state, step, right):
    assert found(speaker(step, layer, state)) == [("ATN305", 28, right)]
    assert found(speaker(right, layer, state)) == []


def test_a_loop_that_ends_by_a_condition():
    step = "scores, _ = self.decoder(word, state, keys)"
    code = speaker(step, loop="while len(made) < steps")
    right = "scores, state = self.decoder(word, state, keys)"
    assert found(code) == [("ATN305", 28, right)]


def test_what_the_finding_says():
    code = speaker("scores, _ = self.decoder(word, state, keys)")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.severity == "error"
    assert finding.function == "Speaker.forward"
    assert finding.message == (
        "`self.decoder(word, state, keys)` starts from the same `state` in every turn of the loop:"
        " the state that it gives is thrown away, so that no step knows more of the past than its"
        " own input; the shapes are those of the right loop, and the first step is right"
    )
    assert finding.tensor.name == "state"
    assert finding.tensor.shape == finding.expected.shape
    assert finding.tensor.shape[0] == 1


@pytest.mark.parametrize(
    ("step", "more"),
    [
        # The new state goes on, under its own name or another, or is looked at.
        ("scores, new = self.decoder(word, state, keys)", CARRIED + "; state = new"),
        ("scores, state = self.decoder(word, state, keys)", CARRIED),
        ("scores, new = self.decoder(word, state, keys)", CARRIED + "; print(new.mean())"),
        ("scores, new = self.decoder(word, state, keys)", CARRIED + "; state[:] = new.detach()"),
        ("scores, new = self.decoder(word, state, keys)", CARRIED + "; state.copy_(new)"),
        # One word of a hypothesis each: nothing of one turn goes into the next.
        ("word = x[step, :1, 0].long(); scores, _ = self.decoder(word, state, keys)", "pass"),
        ("scores, _ = self.decoder(x[:, step, :1].long(), state, keys)", "pass"),
        # The same words again, from the same state.
        ("scores, _ = self.decoder(word, state, keys)", "pass"),
    ],
)
def test_loops_that_are_right(step, more):
    assert found(speaker(step, more=more)) == []


REFINED = """import torch
from torch import nn


class Refiner(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.rnn = nn.GRU(d, d, batch_first=True)

    def forward(self, x, state, times: int):
        B, T, d = x.shape
        for _ in range(times):
            made, _ = self.rnn(x, state)
            x = torch.softmax(made @ x.transpose(1, 2), dim=-1) @ x
        return x
"""


def test_a_whole_sequence_read_again():
    assert found(REFINED) == []


def test_the_words_before_the_last_are_known_only_after_the_fix():
    def run(step):
        scope = {}
        exec(speaker(step), scope)
        torch.manual_seed(0)
        model, x = scope["Speaker"](7, 4), torch.randn(2, 5, 4)
        words = iter((3, 1, 2, 6, 1, 2))
        # Two runs of three steps that are given other words first, and then the same ones.
        model.decoder.embed.register_forward_pre_hook(
            lambda module, args: (torch.full_like(args[0], next(words)),)
        )
        return [model(x, 3) for _ in range(2)]

    one, other = run("scores, _ = self.decoder(word, state, keys)")
    assert one.shape == (2, 3, 7)
    assert torch.equal(one[:, 1:], other[:, 1:])
    one, other = run("scores, state = self.decoder(word, state, keys)")
    assert one.shape == (2, 3, 7)
    assert not torch.allclose(one[:, 1:], other[:, 1:], atol=1e-4)
