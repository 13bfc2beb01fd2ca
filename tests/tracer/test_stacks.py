"""Layers that a loop makes alike are one layer: what runs on the stack runs on it for certain."""

from attncheck.engine import check_source
from attncheck.settings import Settings

from .tracing import function, last

CODE = """\
class Inner(torch.nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.to_kv = torch.nn.Linear(dim, dim * 2)
        self.to_q = torch.nn.Linear(dim, dim)

    def forward(self, x):
        k, v = self.to_kv(x).chunk(2, dim=-1)
        return self.to_q(x) @ k.transpose(1, 2) @ {values}


class Outer(torch.nn.Module):
    def __init__(self, dim, heads, depth):
        super().__init__()
        self.layers = torch.nn.ModuleList()
        for number in range(depth):
            self.layers.append(torch.nn.ModuleList([Inner({made}), torch.nn.LayerNorm(dim)]))

    def forward(self, x):
        b, n, d = x.shape
        for inner, norm in self.layers:
            x = norm(inner(x)) + x
        return x
"""


def operations(made):
    traced = function(CODE.format(values="v", made=made), "Outer.forward")
    return [each for each in traced.graph.operations if each.kind == "chunk"]


def test_layers_made_with_the_same_arguments_are_run_as_one():
    alike = operations("dim, heads")
    assert not any(each.supposed for each in alike)
    assert len(operations("dim, heads=heads")) == len(alike)
    assert len(operations("dim, heads=number")) == len(alike)
    assert len(operations("dim, heads * (number + 1)")) > len(alike)


def test_what_cannot_work_in_a_stacked_layer_is_found():
    code = "import torch\n" + CODE.format(values="self.to_kv(x)[:, :-1]", made="dim, heads")
    findings = check_source(code.encode(), "code.py", Settings()).findings
    assert [finding.code for finding in findings] == ["ATN101"]


MAYBE = """\
class Maybe(torch.nn.Module):
    def __init__(self, dim, inner):
        super().__init__()
        self.widen = torch.nn.Linear(dim, inner)
        self.out = torch.nn.{layer} if inner != dim else torch.nn.Identity()

    def forward(self, x):
        b, n, _ = x.shape
        made = self.out(self.widen(x))
"""


def made(layer):
    traced = function(MAYBE.format(layer=layer), "Maybe.forward")
    return last(traced, "made")


def test_what_may_change_nothing_stands_where_nothing_has_to_change():
    assert made("Linear(inner, dim)") == ("b", "n", "dim")
    assert made("Sequential(torch.nn.Linear(inner, dim), torch.nn.Dropout(0.1))") == (
        "b",
        "n",
        "dim",
    )
    # Another number of axes is never a matter of sizes that happen to be equal.
    assert made("Flatten(1)") is None
