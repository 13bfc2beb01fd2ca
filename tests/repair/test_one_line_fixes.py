"""One line that mends what raises: another size, a stack, a letter less, the whole vector."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import numpy as np\nimport torch\nfrom torch import nn\n\n"


def alarms(code):
    found = check_source(code.encode(), "x.py", Settings()).findings
    return [each for each in found if each.severity != "note"]


def mended(code, line, fixed, told):
    """The only finding of a program that raises, mended by one line, after which it runs."""
    (finding,) = alarms(code)
    expected = None if finding.expected is None else finding.expected.shape
    assert (finding.code, finding.tensor.name, finding.tensor.shape, expected) == told
    assert finding.fix.line == fixed
    with pytest.raises((RuntimeError, ValueError, IndexError)):
        exec(code, {})
    right = code.replace(line, fixed)
    assert right != code
    assert alarms(right) == []
    exec(right, {})
    return finding


GATHER = (
    HEAD
    + """\
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 9)
        self.rnn = nn.GRU(9, 5, batch_first=True)

    def forward(self, x, lengths):
        embedded = self.embed(x)
        states, _ = self.rnn(embedded)
        {line}
        return states.gather(1, last)


print(Encoder()(torch.zeros(3, 6, dtype=torch.long), torch.tensor([6, 2, 4])).shape)
"""
)


@pytest.mark.parametrize("read", ["embedded.size(2)", "embedded.shape[2]", "embedded.size(-1)"])
def test_an_index_is_made_with_the_size_of_what_is_gathered(read):
    line = f"last = (lengths - 1).view(-1, 1, 1).expand(-1, 1, {read})"
    fixed = line.replace("embedded", "states")
    code = GATHER.format(line=line)
    finding = mended(code, line, fixed, ("ATN104", "last", ("last_0", 1, 9), ("last_0", 1, 5)))
    assert "9 is longer than 5 on axis 2" in finding.message


JOIN = (
    HEAD
    + """\
def both(first, second):
    first, second = first[0], second[0]
    {line}
    return joined


print(both({make}(2, 7), {make}(2, 7)).shape)
"""
)


@pytest.mark.parametrize(
    ("line", "make"),
    [
        ("joined = torch.cat((first, second), 1)", "torch.randn"),
        ("joined = torch.cat([first, second], dim=1)", "torch.randn"),
        ("joined = np.concatenate((first, second), axis=1)", "np.random.randn"),
    ],
)
def test_vectors_are_stacked_along_a_second_axis(line, make):
    fixed = line.replace("cat(", "stack(").replace("concatenate(", "stack(")
    code = JOIN.format(line=line, make=make)
    finding = mended(code, line, fixed, ("ATN106", "first", (7,), (7, 1)))
    assert finding.expected.derivation == "with an axis 1 to be joined along, as `stack` makes it"


EINSUM = (
    HEAD
    + """\
class Gate(nn.Module):
    def __init__(self, heads, width):
        super().__init__()
        self.one = nn.Parameter(torch.randn(heads, width))
        self.two = nn.Parameter(torch.randn(heads, width))

    def dot(self, a, b):
        {line}

    def forward(self):
        return self.dot(self.one, self.two).view(1, -1, 1, 1)


print(Gate(3, 8)().shape)
"""
)


@pytest.mark.parametrize(
    ("written", "fixed"), [("bhd,bhd->bh", "hd,hd->h"), ("bhd, bhd -> bh", "hd, hd -> h")]
)
def test_a_letter_that_no_operand_has_an_axis_for_is_left_out(written, fixed):
    line = f'return torch.einsum("{written}", a, b)'
    code = EINSUM.format(line=line)
    told = ("ATN107", "a", ("heads", "width"), None)
    mended(code, line, line.replace(written, fixed), told)


VECTOR = (
    HEAD
    + """\
def shares(weights):
    total = weights.sum(0)
    {line}
    return share


print(shares(np.random.rand(4, 6)).shape)
"""
)


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ("share = total / total.sum(1)[0, 0]", "share = total / total.sum()"),
        ("share = total / total.max(axis=1)[0]", "share = total / total.max()"),
        ("share = total - np.mean(total, 1)[0]", "share = total - np.mean(total)"),
    ],
)
def test_one_number_of_a_vector_is_that_of_all_of_it(line, fixed):
    mended(VECTOR.format(line=line), line, fixed, ("ATN104", "total", (6,), None))


START = (
    HEAD
    + """\
class Decoder:
    def __init__(self, width):
        self.width = width
        self.table = np.random.randn(20, width)

    def step(self, words, context):
        return np.concatenate([self.table[words], context], axis=1)


def decode(model, beam):
    {line}
    return model.step(np.full(beam, 1), context)


print(decode(Decoder(6), 5).shape)
"""
)


@pytest.mark.parametrize(
    "line",
    ["context = np.zeros(({}, model.width))", "context = np.ones(shape=({}, model.width))"],
)
def test_a_start_of_one_row_is_made_for_the_beam(line):
    code = START.format(line=line.format(1))
    (finding,) = alarms(code)
    assert (finding.code, finding.tensor.name) == ("ATN106", "context")
    assert (finding.tensor.shape, finding.expected.shape) == ((1, 6), (5, 6))


RESHAPE = (
    HEAD
    + """\
def split(x, windows):
    b, h, w, d = x.shape
    rows, columns = h // windows, w // windows
    {line}
    return x


print(split(torch.randn(2, 6, 8, 5), 2).shape)
"""
)


def test_a_size_is_taken_with_which_the_elements_are_as_many():
    line = "x = x.reshape(b, windows, rows, windows, rows, d)"
    fixed = "x = x.reshape(b, windows, rows, windows, columns, d)"
    code = RESHAPE.format(line=line)
    (finding,) = alarms(code)
    assert (finding.code, finding.line, finding.fix.line) == ("ATN105", 8, fixed)
    assert (finding.tensor.name, finding.tensor.shape) == ("x", (2, 6, 8, 5))
    assert finding.expected.shape == (2, 2, 3, 2, 4, 5)
    assert finding.expected.derivation == "as many elements as (2, 6, 8, 5) has"


def test_a_size_that_no_name_holds_is_read_from_the_tensor():
    line = "x = x.reshape(b, 1, h, h, d)"
    code = RESHAPE.format(line=line).replace("b, h, w, d = x.shape", "b, h, _, d = x.shape")
    code = code.replace("rows, columns = h // windows, w // windows", "pass")
    (finding,) = alarms(code)
    assert finding.fix.line == "x = x.reshape(b, 1, h, x.shape[2], d)"
    right = code.replace(line, finding.fix.line)
    assert alarms(right) == []
    exec(right, {})


EXPAND = (
    HEAD
    + """\
def beside(values, seen):
    mean = (values * seen).sum(1, keepdim=True)
    spread = ((values - mean) ** 2).sum(1, keepdim=True)
    both = torch.cat((mean, spread), 1)
    {line}
    return torch.cat((values, wide), -1)


print(beside(torch.randn(3, 7, 1), torch.ones(3, 7, 1)).shape)
"""
)


@pytest.mark.parametrize("new", [".unsqueeze(1)", "[:, None]"])
def test_an_axis_of_one_too_many_is_dropped_before_it_is_expanded(new):
    line = f"wide = both{new}.expand(-1, 7, -1)"
    fixed = f"wide = both.squeeze(-1){new}.expand(-1, 7, -1)"
    mended(EXPAND.format(line=line), line, fixed, ("ATN104", "both", (3, 2, 1), (3, 2)))
