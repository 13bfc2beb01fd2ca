"""Models as they are written: settings, defaults, caches, registries, parts that are left out."""

import textwrap

import pytest

from attncheck.analysis import traces_to_show
from attncheck.settings import Settings
from attncheck.shapes import shape_text
from attncheck.source import load

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def stated(body, made="", parameters="hidden_states", head=""):
    """The shapes at the returns of a module's ``forward``."""
    code = HEAD + textwrap.dedent(head) + "class M(nn.Module):\n"
    made = textwrap.dedent(made) or "pass\n"
    code += "    def __init__(self, config):\n" + textwrap.indent(
        "super().__init__()\n" + made, " " * 8
    )
    code += f"\n    def forward(self, {parameters}):\n"
    code += textwrap.indent(textwrap.dedent(body), " " * 8)
    traces = traces_to_show(load(code.encode(), "model.py"), Settings())
    (traced,) = (
        each for each in traces if each.function and each.function.qualified == "M.forward"
    )
    sites = [site for site in traced.sites if site.name == "return"]
    return [shape_text(site.value, traced.facts) for site in sites]


def ranks(*arguments, **keywords):
    """The same as numbers of axes."""
    shapes = stated(*arguments, **keywords)
    return [None if shape is None else len(shape) for shape in shapes]


@pytest.mark.parametrize(
    "body, made",
    [
        ("return hidden_states * torch.rsqrt(hidden_states + self.eps)", "self.eps = config.eps"),
        ("return self.w * hidden_states", "self.w = nn.Parameter(torch.ones(config.hidden_size))"),
        (
            "return self.f(hidden_states)",
            "self.f = FUNCTIONS[config.kind] if config.kind else F.relu",
        ),
        ("return hidden_states.clamp(min=torch.finfo(hidden_states.dtype).min)", ""),
        (
            "if self.f is not None:\n    hidden_states = self.f(hidden_states, 1)\n"
            "return hidden_states",
            "self.f = config.step",
        ),
        ("return self.q_proj(hidden_states)", "self.q_proj = config.layers['q']"),
    ],
    ids=["eps", "weight", "registry", "finfo", "optional step", "projection"],
)
def test_inputs_keep_their_axes(body, made):
    assert ranks(body, made) == [3]


def test_a_scale_that_may_be_none_is_a_number():
    body = """
        if scale is None:
            scale = hidden_states.size(-1) ** -0.5
        return hidden_states * scale
    """
    assert ranks(body, parameters="hidden_states, scale: float | None = None") == [3]
    assert ranks(body, parameters="hidden_states, scale=None") == [3]


def test_what_stands_in_for_an_argument_has_as_many_axes():
    body = """
        if places is None:
            places = torch.arange(hidden_states.shape[1]).unsqueeze(0)
        return self.table(places)
    """
    made = "self.table = nn.Embedding(100, config.hidden_size)"
    (shape,) = stated(body, made, "hidden_states, places=None")
    assert len(shape) == 3 and shape[-1] == "config.hidden_size"


def test_the_projects_own_test_for_none():
    head = "def exists(x):\n    return x is not None\n"
    body = "return hidden_states if not exists(mask) else hidden_states.masked_fill(mask, 0)"
    assert ranks(body, parameters="hidden_states, mask=None", head=head) == [3]


def test_what_a_cache_holds_is_like_what_is_computed():
    body = """
        if past_key_values is not None:
            keys = past_key_values.layers[self.index].keys
        else:
            keys = hidden_states.transpose(1, 2)
        return keys
    """
    made = "self.index = config.index"
    assert ranks(body, made, "hidden_states, past_key_values=None") == [3]


def test_an_attribute_that_one_branch_sets_is_there_where_it_is_read():
    made = """
        if config.deep:
            self.inner = nn.Linear(config.hidden_size, 7)
        else:
            self.outer = nn.Linear(config.hidden_size, 5)
    """
    assert stated("return self.inner(hidden_states)", made)[0][-1] == 7
    body = (
        "return self.inner(hidden_states) if hasattr(self, 'inner') else self.outer(hidden_states)"
    )
    assert stated(body, made)[0][-1] == "?" or isinstance(stated(body, made)[0][-1], str)


def test_lists_of_unlike_lengths_are_kept_apart():
    made = """
        self.layers = nn.ModuleList([nn.Linear(config.hidden_size, 5)])
        if config.deep:
            self.layers.append(nn.Linear(5, 6))
        self.layers.append(nn.Linear(6, 7))
    """
    assert stated("return self.layers[0](hidden_states)", made)[0][-1] == 5
    body = "return self.layers[-1](self.layers[1](self.layers[0](hidden_states)))"
    assert stated(body, made)[0][-1] == 7


def test_a_number_that_becomes_a_tensor():
    body = """
        total = 0
        if self.flag:
            total += hidden_states
        total += hidden_states
        return total
    """
    assert ranks(body, "self.flag = config.flag") == [3]


def test_modules_extend_layers():
    head = """
        class Table(nn.Embedding):
            def __init__(self, count, width):
                self.offset = 2
                super().__init__(count + self.offset, width)
            def forward(self, places):
                return super().forward(places + self.offset)
        class Norm(nn.LayerNorm):
            pass
    """
    made = "self.table = Table(9, 8)\nself.norm = Norm(8)"
    (shape,) = stated("return self.norm(self.table(input_ids))", made, "input_ids", head)
    assert len(shape) == 3 and shape[-1] == 8


def test_inputs_of_layers_have_a_batch():
    assert ranks("return self.f(x)", "self.f = nn.Conv2d(3, 4, 1)", "x") == [4]
    made = "self.f = nn.MultiheadAttention(8, 2)"
    assert ranks("return self.f(x, x, x)[0]", made, "x") == [3]


def test_comments_and_docstrings_count_axes():
    body = '"""x: states of shape `S*B*C`."""\nreturn x'
    assert ranks(body, parameters="x") == [3]
    assert ranks("# x has shape [b, s, d]\nreturn x", parameters="x") == [3]


def test_what_nothing_tells_stays_unknown():
    assert ranks("return x", parameters="x") == [None]
    assert ranks("return self.f(x)", "self.f = nn.Linear(3, 4)", "x") == [None]
    assert ranks("return self.pool(hidden_states, 1)", "self.pool = config.pool") == [None]


def test_a_loop_shows_its_last_round():
    body = """
        for layer in self.layers:
            hidden_states = layer(hidden_states) + hidden_states
        return hidden_states
    """
    made = (
        "self.layers = nn.ModuleList([nn.Linear(config.hidden_size, config.hidden_size) "
        "for _ in range(config.depth)])"
    )
    (shape,) = stated(body, made)
    assert "?" not in shape
