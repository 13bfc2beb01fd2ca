"""Arguments of torch's functions by NumPy's names, as torch itself takes them."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.frameworks import lookup
from attncheck.settings import Settings

X = torch.zeros(2, 3, 4)
INDEX = torch.zeros(2, 1, 4, dtype=torch.long)

#: What stands beside the axis, by function.
BESIDE = {
    "gather": {"index": INDEX},
    "take_along_dim": {"indices": INDEX},
    "index_select": {"index": INDEX[0, 0, :1]},
    "select": {"index": 0},
    "narrow": {"start": 0, "length": 1},
    "chunk": {"chunks": 3},
    "topk": {"k": 1},
    "kthvalue": {"k": 1},
    "split_with_sizes": {"split_sizes": [1, 2]},
    "tensor_split": {"indices_or_sections": 3},
    "repeat_interleave": {"repeats": 2},
    "unflatten": {"sizes": (3, 1)},
    "scatter": {"index": INDEX, "src": X},
    "scatter_add": {"index": INDEX, "src": X},
    "scatter_reduce": {"index": INDEX, "src": X, "reduce": "sum"},
    "index_add": {"index": INDEX[0, 0, :1], "source": X[:, :1]},
    "index_copy": {"index": INDEX[0, 0, :1], "source": X[:, :1]},
    "index_fill": {"index": INDEX[0, 0, :1], "value": 0.0},
    "cat": {"tensors": [X]},
    "concat": {"tensors": [X]},
    "concatenate": {"tensors": [X]},
    "stack": {"tensors": [X]},
    "cosine_similarity": {"x1": X, "x2": X},
}
PATHS = sorted(
    path
    for path, spelling in lookup.spellings().items()
    if "axis" in spelling.aliases and not path.startswith("torch.linalg")
)


def called(path, **more):
    names = path.removeprefix("torch.").split(".")
    name = names[-1].rstrip("_")
    beside = dict(BESIDE.get(name, {}))
    if names[0] == "Tensor":
        return getattr(X.clone(), names[-1])(**beside, **more)
    function = torch
    for part in names:
        function = getattr(function, part)
    if not {"tensors", "x1"} & beside.keys():
        beside["input"] = X.clone()
    return function(**beside, **more)


def shapes(result):
    if isinstance(result, torch.Tensor):
        return tuple(result.shape)
    return tuple(map(shapes, result)) if isinstance(result, (tuple, list)) else result


@pytest.mark.parametrize("path", PATHS)
def test_torch_takes_the_axis_by_either_name(path):
    assert shapes(called(path, axis=1)) == shapes(called(path, dim=1))


REFUSED = [
    lambda: torch.split(X, 1, axis=1),
    lambda: torch.norm(X, axis=1),
    lambda: torch.nn.functional.softmax(X, axis=1),
    lambda: torch.nn.functional.normalize(X, axis=1),
    lambda: torch.nn.Softmax(axis=1),
]


@pytest.mark.parametrize("call", REFUSED)
def test_what_torch_has_written_in_python_does_not(call):
    with pytest.raises(TypeError, match="axis"):
        call()


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("torch.cat((x, x), axis=1)", []),
        ("torch.cat((x, x), axis=2)", ["ATN101"]),
        ("x.sum(axis=1, keepdims=True)", []),
        ("x.sum(axis=2, keepdims=True)", ["ATN101"]),
        ("torch.cumsum(input=x, axis=2)", []),
        # What torch does not take by this name is not known.
        ("torch.split(x, 2, axis=2)[0]", []),
        ("nn.functional.normalize(x.sum(2, True), axis=-1)", []),
    ],
)
def test_such_calls_are_traced(made, expected):
    code = (
        f"import torch\nfrom torch import nn\nx = torch.zeros(2, 3, 4)\n{made} @ torch.zeros(4, 5)"
    )
    found = check_source(code.encode(), "x.py", Settings()).findings
    assert [each.code for each in found] == expected


def test_names_of_numpy_are_numpys_own_where_the_library_is_not_known():
    code = """
import numpy as np
import torch

def share(weights):
    total = weights.sum(0)
    return total / total.max(axis=1)[0]


share(np.zeros((4, 6)))
"""
    found = check_source(code.encode(), "x.py", Settings()).findings
    assert [each.code for each in found] == ["ATN104"]
