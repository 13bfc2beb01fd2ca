"""Layers that are given each other's inputs, as docstring and constructor name their widths."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, enc_dim, dec_dim, d):
        super().__init__()
        self.of_enc, self.of_dec = nn.Linear(enc_dim, d), nn.Linear(dec_dim, d)
        self.v = nn.Linear(d, 1)

    def forward(self, state, states):
        '''state: {state}, states: {states}'''
        query = self.{asks}(state).unsqueeze(1)
        keys = self.{asked}(states)
        return self.v(torch.tanh(query + keys)).squeeze(-1)
"""


def told(**parts):
    found = check_source(CODE.format(**parts).encode(), "x.py", Settings()).findings
    return [
        (each.code, each.severity, each.fix and each.fix.line)
        for each in found
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    ("state", "states", "asks", "asked", "wrong"),
    [
        ("(B, dec_dim)", "(B, T, enc_dim)", "of_dec", "of_enc", False),
        ("(B, dec_dim)", "(B, T, enc_dim)", "of_enc", "of_dec", True),
        # Names that the constructor does not have may be any size.
        ("(B, h)", "(B, T, e)", "of_enc", "of_dec", False),
        ("(B, dec_dim)", "(B, T, e)", "of_enc", "of_dec", False),
        # One and the same input for both.
        ("(B, enc_dim)", "(B, T, enc_dim)", "of_enc", "of_dec", False),
    ],
)
def test_layers_are_given_what_they_are_made_for(state, states, asks, asked, wrong):
    found = told(state=state, states=states, asks=asks, asked=asked)
    fix = "query = self.of_dec(state).unsqueeze(1)\nkeys = self.of_enc(states)"
    assert found == ([("ATN103", "warning", fix)] if wrong else [])
