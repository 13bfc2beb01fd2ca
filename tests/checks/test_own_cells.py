"""ATN402 where the cell is a function of the program's own."""

import numpy as np
import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


class {name}:
    def __init__(self, d_in, d_s, d_h):
        rng = np.random.default_rng(0)
        self.Wx, self.Wh = rng.normal(size=(d_s, d_in)), rng.normal(size=(d_s, d_s))
        self.Wf = rng.normal(size=(d_s, d_h))
        self.Wa, self.Wc = rng.normal(size=(d_s, d_h)), rng.normal(size=(d_s, d_h + d_s))

    def cell(self, x, h, c=None):
        fed = 0 if c is None else self.Wf @ c
        return np.tanh(self.Wx @ x + self.Wh @ h + fed)

    def score(self, h, hs):
        return hs @ (self.Wa.T @ h)

    def forward(self, xs, h, hs):
        outs = []
        for x in xs:
            {body}
            outs.append(np.tanh(self.Wc @ np.concatenate([c, h])))
        return np.array(outs), h


def run(xs=np.ones((5, 3)), hs=np.ones((7, 6))):
    return {name}(3, 4, 6).forward(xs, np.zeros(4), hs)[0]


run()
"""
ATTEND, UPDATE, SUM = "a = softmax(self.score(h, hs))", "h = self.cell(x, h)", "c = a @ hs"
BEFORE, AFTER = (ATTEND, UPDATE, SUM), (UPDATE, ATTEND, SUM)


def code(name, *body):
    return CODE.format(name=name, body="\n            ".join(body))


def findings(name, *body):
    return check_source(code(name, *body).encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("name", ["LuongRNN", "MultiplicativeAttention"])
def test_scores_with_the_state_that_the_cell_starts_from(name):
    (finding,) = findings(name, *BEFORE)
    assert (finding.code, finding.line, finding.severity) == ("ATN402", 26, "warning")
    assert (finding.tensor.name, finding.tensor.shape) == ("h", ("d_s",))
    assert "`self.score(h, hs)` scores with the state that `self.cell(x, h)` starts from" in (
        finding.message
    )
    assert finding.fix.line == f"{UPDATE}\n{ATTEND}"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("LuongRNN", AFTER),
        ("Decoder", BEFORE),  # nothing says whose attention it is
        ("BahdanauRNN", BEFORE),
        ("LuongRNN", (ATTEND, SUM, "h = self.cell(x, h, c)")),  # the context goes into the cell
        ("LuongRNN", (UPDATE, "a = softmax(self.score(x[:1] * h, hs))", SUM)),
    ],
)
def test_steps_that_are_right_or_of_which_nothing_is_said(name, body):
    assert [each for each in findings(name, *body) if each.code == "ATN402"] == []


def test_that_the_weights_of_the_first_step_do_not_see_its_input():
    runs = []
    for body in (BEFORE, AFTER):
        space = {}
        exec(code("LuongRNN", *body), space)
        runs.append(space)
    rng = np.random.default_rng(1)
    xs, hs = rng.normal(size=(1, 3)), rng.normal(size=(7, 6))
    wrong, right = (space["run"](xs, hs) for space in runs)
    rnn = runs[1]["LuongRNN"](3, 4, 6)
    state = rnn.cell(xs[0], np.zeros(4))
    weights = runs[1]["softmax"](rnn.score(state, hs))
    wanted = np.tanh(rnn.Wc @ np.concatenate([weights @ hs, state]))
    assert np.allclose(right[0], wanted)
    assert not np.allclose(wrong[0], wanted)


WRITTEN_OUT = '''"""A decoder step{paper}."""

import numpy as np


def step(y, s_prev, hs, W, U):
    """y (d_y,), s_prev (d_h,), hs (T_enc, d_h), W (d_h, d_h), U (d_h, d_y)."""
    {body}
    e = np.exp(scores - scores.max())
    weights = e / e.sum()
    context = weights @ hs
    return {result}
'''
NEW_STATE, RESULT = "s_t = np.tanh(W @ s_prev + U @ y)", "s_t, context, weights"
LUONGS = " after Luong et al."


def written_out(*body, result=RESULT, paper=LUONGS):
    code = WRITTEN_OUT.format(body="\n    ".join(body), result=result, paper=paper)
    return check_source(code.encode(), "x.py", Settings()).findings


def test_a_cell_that_is_written_out_beside_the_attention():
    (finding,) = written_out(NEW_STATE, "scores = hs @ s_prev")
    assert (finding.code, finding.line, finding.tensor.name) == ("ATN402", 9, "s_prev")
    assert finding.fix.line == "scores = hs @ s_t"


@pytest.mark.parametrize(
    "body, result, paper",
    [
        ((NEW_STATE, "scores = hs @ s_t"), RESULT, LUONGS),
        ((NEW_STATE, "scores = hs @ s_prev"), RESULT, ""),
        ((NEW_STATE, "scores = hs @ s_prev"), RESULT, " after Bahdanau et al."),
        ((NEW_STATE, "scores = hs @ (s_t + s_prev)"), RESULT, LUONGS),
        # A projection of the query, which is no state, since nothing starts from it.
        (("s_t = np.tanh(W @ s_prev)", "scores = hs @ s_prev"), "context, weights", LUONGS),
    ],
)
def test_a_right_step_that_is_written_out(body, result, paper):
    assert list(written_out(*body, result=result, paper=paper)) == []


def test_a_state_that_is_made_of_the_context_is_another_one():
    result = "np.tanh(W @ s_prev + W @ context), context, weights"
    assert list(written_out("scores = hs @ s_prev", result=result)) == []
