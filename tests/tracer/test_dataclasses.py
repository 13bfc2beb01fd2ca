"""Dataclasses: what their decorator writes, with defaults of their own and of their bases."""

import pytest

from attncheck.analysis import traces_to_show
from attncheck.settings import Settings
from attncheck.shapes import shape_text
from attncheck.source import load

OUTPUT = """
import torch
from torch import nn
from dataclasses import dataclass, field
import dataclasses

class Base:
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

@{decorator}
class Output(Base):
    first: torch.Tensor = None
    second: torch.Tensor | None = None

def make(x, y):
    return Output(first=x, second=y)

made = make(torch.ones(2, 3), torch.ones(4))
first = made.first
second = made.second
"""

SETTINGS = """
import torch
from dataclasses import dataclass, field
import dataclasses

@dataclass
class Base:
    heads: int = 3

@dataclass
class Settings(Base):
    width: int = field(default=12)
    hidden: int = dataclasses.field(default=7, metadata={"help": "units"})
    groups: list = field(default_factory=list)

    def __post_init__(self):
        self.each = self.width // self.heads

made = Settings(heads=2)
x = torch.ones(made.heads, made.width, made.hidden, made.each)
"""


def shapes(code):
    """The shapes of the names that a module assigns."""
    module, *_ = traces_to_show(load(code.encode(), "file.py"), Settings())
    return {site.name: shape_text(site.value, module.facts) for site in module.sites}


@pytest.mark.parametrize(
    "decorator", ["dataclass", "dataclasses.dataclass", "dataclass(frozen=True)"]
)
def test_the_decorator_writes_what_makes_an_object(decorator):
    found = shapes(OUTPUT.replace("{decorator}", decorator))
    assert found["first"] == (2, 3)
    assert found["second"] == (4,)


def test_one_that_is_written_goes_before_the_decorators():
    own = "\n    def __init__(self, first, second):\n        self.first = second\n\ndef make"
    code = OUTPUT.replace("{decorator}", "dataclass").replace("\ndef make", own)
    assert shapes(code)["first"] == (4,)


def test_defaults_of_bases_and_fields_and_what_is_done_afterwards():
    assert shapes(SETTINGS)["x"] == (2, 12, 7, 6)
