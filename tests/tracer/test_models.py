"""Models as they are written: settings, defaults, caches, registries, parts that are left out."""

import textwrap

import pytest

from attncheck.analysis import traces_to_show
from attncheck.engine import check_source
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


def test_a_registry_holds_functions_like_the_one_beside_it():
    head = "from elsewhere import MAKERS\n"
    made = """
        def made(config):
            return torch.ones(config.width), 1.0
        make = made
        if config.kind != "default":
            make = MAKERS[config.kind]
        self.scale, self.factor = make(config)
    """
    assert ranks("return self.scale * hidden_states", made, head=head) == [3]


def test_one_of_a_few_functions():
    made = "self.act = {'relu': F.relu, 'double': lambda x: torch.cat([x, x], -1)}[config.act]"
    (shape,) = stated("return self.act(torch.ones(2, 4))", made)
    assert shape[0] == 2 and shape[1] != 4


def test_what_makes_the_mask_of_all_heads():
    head = "from elsewhere import create_causal_mask\n"
    body = "return create_causal_mask(config=self.config, attention_mask=attention_mask)"
    made = "self.config = config"
    assert ranks(body, made, "hidden_states, attention_mask=None", head=head) == [4]
    assert ranks("return create_causal_mask(7)", head=head) == [None]


def test_what_is_passed_on_unnamed_is_seldom_there():
    head = """
        def attend(x, other=None, **rest):
            if other is not None:
                return other
            return x
    """
    assert ranks("return attend(hidden_states, **kwargs)", "", "hidden_states, **kwargs", head) == [
        3
    ]


def test_a_bias_that_may_be_one_row_stretches_nothing():
    body = """
        scores = hidden_states @ hidden_states.transpose(1, 2)
        if bias is None:
            bias = torch.zeros(1, hidden_states.shape[1], hidden_states.shape[1])
        return scores + bias
    """
    (shape,) = stated(body, parameters="hidden_states, bias=None")
    assert len(shape) == 3 and not shape[0].startswith("bias")


def test_what_stands_in_for_a_function_is_like_it():
    body = """
        if not product:
            product = functools.partial(torch.einsum, "bqd,bkd->bqk")
        return product(hidden_states, hidden_states)
    """
    shape = ["hidden_states_0", "hidden_states_1", "hidden_states_1"]
    head = "import functools\n"
    (found,) = stated(body, parameters="hidden_states, product=None", head=head)
    assert found[0] == shape[0] and len(found) == 3
    made = "self.act = config.act or F.relu"
    assert ranks("return self.act(hidden_states)", made) == [3]


def test_a_named_axis_is_squeezed_because_it_is_one():
    assert ranks("return hidden_states.squeeze(1)") == [2]
    assert ranks("return hidden_states.squeeze()") == [None]
    assert ranks("return hidden_states.squeeze(config)") == [None]


def test_what_is_added_to_an_activation_has_no_more_axes():
    assert ranks("return hidden_states + x", parameters="hidden_states, x") == [3]
    assert ranks("return torch.where(x > 0, hidden_states, 0)", "", "hidden_states, x") == [3]


@pytest.mark.parametrize(
    "body, made",
    [
        ("return self.scale * x", "self.scale = nn.Parameter(torch.ones(4, 1, 1))"),
        ("return hidden_states[:, 0] + x", ""),
        ("return hidden_states + torch.stack([x, x])[None, None, None]", ""),
    ],
    ids=["parameter", "two axes", "more axes"],
)
def test_what_may_be_stretched_tells_nothing(body, made):
    assert ranks(body, made, "hidden_states, x") == [None]


def test_what_a_function_gives_back_is_like_what_else_it_may_give():
    head = """
        def default(*given):
            for each in given:
                if each is not None:
                    return each() if callable(each) else each
            return None
    """
    assert ranks("return default(x, hidden_states)", "", "hidden_states, x=None", head) == [3]
    body = "return x if self.flag else hidden_states"
    assert ranks(body, "self.flag = config.flag", "hidden_states, x") == [3]
    assert ranks("return default(x, 3)", "", "hidden_states, x=None", head) == [None]


def test_chains_that_a_loop_makes_longer():
    made = """
        self.layers = nn.Sequential()
        for i in range(config.depth):
            self.layers.add_module(f"layer{i}", nn.Linear(config.hidden_size, config.hidden_size))
    """
    body = """
        for number, layer in enumerate(self.layers):
            hidden_states = layer(hidden_states)
        return hidden_states
    """
    assert ranks(body, made) == [3]
    assert ranks("return self.layers(hidden_states)", made) == [3]
    made = """
        self.layers = nn.Sequential(nn.Linear(4, 5))
        self.layers.add_module("last", nn.Linear(5, 6))
        self.layers.append(nn.Linear(6, 7))
    """
    assert stated("return self.layers(hidden_states)", made)[0][-1] == 7
    assert stated("return self.layers[1](self.layers[0](hidden_states))", made)[0][-1] == 6


def test_a_branch_that_asserts_what_is_not_so_is_not_taken():
    body = """
        if self.apart:
            assert hidden_states.ndim == 4
            queries, keys = hidden_states, 1
        else:
            queries, keys = hidden_states, hidden_states
        return keys
    """
    assert ranks(body, "self.apart = config.apart") == [3]


def test_a_module_nobody_knows_is_no_tensor():
    head = "ops = choose()\n"
    assert ranks("return ops.reshape(hidden_states, [-1, 3, 4])", head=head) == [None]
    assert ranks("return ops.reshape([2, 3], 4)", head=head) == [None]
    assert ranks("return ops.reshape(2, 3, 4)", head=head) == [3]
    assert ranks("return ops.index_select(hidden_states, 1)", head=head) == [None]
    assert ranks("return ops.expand(hidden_states, 3, 4, 5)", head=head) == [None]


def test_what_a_function_shows_itself_is_stronger_than_what_callers_call_it():
    code = """
        class Attention(nn.Module):
            def __init__(self, dim, heads):
                super().__init__()
                self.heads = heads
                self.proj = nn.Linear(dim, dim)

            def forward(self, x):
                N, L, C = x.shape
                q = self.proj(x).reshape(N, L, self.heads, -1).transpose(1, 2)
                return torch.bmm(q, q.transpose(-1, -2))

        class Block(nn.Module):
            def __init__(self, dim, heads):
                super().__init__()
                self.attn = Attention(dim, heads)

            def forward(self, hidden_states):
                return self.attn(hidden_states)
    """
    result = check_source((HEAD + textwrap.dedent(code)).encode(), "model.py", Settings())
    found = [(each.line, each.name, each.severity) for each in result.findings]
    assert found == [(14, "wrong-rank", "error")]


@pytest.mark.parametrize(
    "body",
    [
        "return hidden_states + x.unsqueeze(1), x",
        "return hidden_states.masked_fill(x[:, None], 0), x",
        "return hidden_states @ x.unsqueeze(2), x",
        "return hidden_states[..., 0].masked_fill(x, 0), x",
    ],
    ids=["added", "mask", "product", "mask of rows"],
)
def test_what_was_given_an_axis_fits(body):
    assert ranks(body, parameters="hidden_states, x")[1] == 2


def test_a_mask_of_fewer_axes_may_be_meant():
    body = "return hidden_states.masked_fill(mask, 0), mask"
    assert ranks(body, parameters="hidden_states, mask") == [3, None]


def test_functions_inside_of_functions_are_shown_by_their_calls():
    body = """
        def split(x, heads):
            return x.reshape(x.shape[0], heads, -1)
        return split(hidden_states, 4)
    """
    assert stated(body)[0][:2] == ("hidden_states_0", 4)
    assert len(stated(body)) == 2


def test_a_result_of_unknown_shape_has_one_to_be_found_out():
    body = """
        x = torch.cat(parts)
        batch, time, width = x.shape
        return x
    """
    assert stated(body, parameters="parts") == [("batch", "time", "width")]
    body = """
        if self.batch_first:
            x = x.transpose(0, 1)
        return self.cell(x[0]), x
    """
    made = "self.cell = nn.GRUCell(4, 5)\nself.batch_first = config.batch_first"
    assert ranks(body, made, "x") == [2, 3]
